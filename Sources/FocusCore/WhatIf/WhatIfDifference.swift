/// Something that the user would have seen otherwise.
public enum WhatIfDifference: Hashable, Sendable {
    case alert(Alert)
    case badge(Badge)
    case route(Route)

    /// A notification whose alert would have come out otherwise, at its post or when it was released.
    public struct Alert: Hashable, Sendable {
        public var app: AppID
        public var notification: String
        /// The event after which the two histories differ about it.
        public var version: Version
        public var recordedAt: Timestamp
        /// The decision in each history; nil when the notification had no alert, because it was not listed or was read
        /// before.
        public var before: AlertDecision?
        public var after: AlertDecision?
        /// When it rang in each history; nil when it did not, as far as events were folded.
        public var rangBefore: Timestamp?
        public var rangAfter: Timestamp?

        public var effect: Effect {
            switch (rangBefore, rangAfter) {
            case (nil, nil): .other
            case (nil, _?): .rings
            case (_?, nil): .silenced
            case (let old?, let new?): new < old ? .sooner : (old < new ? .later : .other)
            }
        }
    }

    public enum Effect: String, Hashable, Sendable, CaseIterable {
        /// It would have rung, and did not.
        case rings
        /// It rang, and would not have.
        case silenced
        /// It would not have waited, or not so long.
        case sooner
        /// It would have waited.
        case later
        /// It waits for something else, or breaks through the silent switch.
        case other
    }

    /// A badge at the end of what was folded; a count is nil when no badge was shown.
    public struct Badge: Hashable, Sendable {
        public var app: AppID
        public var before: Int?
        public var after: Int?
    }

    /// A route at the end of what was folded.
    public struct Route: Hashable, Sendable {
        public var app: AppID
        public var route: String
        public var before: RouteAggregates?
        public var after: RouteAggregates?
    }

    public var app: AppID {
        switch self {
        case .alert(let alert): alert.app
        case .badge(let badge): badge.app
        case .route(let route): route.app
        }
    }
}
