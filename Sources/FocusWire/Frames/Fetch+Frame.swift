import FocusCore

extension FetchRequest {
    init(_ message: Focus_Sync_V1_Fetch) throws(FrameError) {
        self.init(id: message.request, try FetchQuestion(message.question))
    }

    var message: Focus_Sync_V1_Fetch {
        var message = Focus_Sync_V1_Fetch()
        message.request = id
        switch question {
        case .routePoints(let route, let from, let to, let limit):
            message.routePoints.route = route.message
            if let from { message.routePoints.fromUs = from.microseconds }
            if let to { message.routePoints.toUs = to.microseconds }
            message.routePoints.limit = UInt32(clamping: limit)
        case .routeSpeed(let route, let from, let to):
            message.routeSpeed.route = route.message
            message.routeSpeed.fromUs = from.microseconds
            message.routeSpeed.toUs = to.microseconds
        case .route(let route): message.route = route.message
        case .routes(let after): message.routes = Focus_Sync_V1_ListQuestion(after: after)
        case .workouts(let after): message.workouts = Focus_Sync_V1_ListQuestion(after: after)
        case .reach(let question): message.reach = question.message
        case .unknown: break
        }
        return message
    }
}

extension FetchQuestion {
    init(_ question: Focus_Sync_V1_Fetch.OneOf_Question?) throws(FrameError) {
        switch question {
        case .routePoints(let message):
            self = .routePoints(
                try AppItem(message.route), from: message.hasFromUs ? Timestamp(microseconds: message.fromUs) : nil,
                to: message.hasToUs ? Timestamp(microseconds: message.toUs) : nil, limit: Int(message.limit))
        case .routeSpeed(let message):
            self = .routeSpeed(
                try AppItem(message.route), from: Timestamp(microseconds: message.fromUs),
                to: Timestamp(microseconds: message.toUs))
        case .route(let message): self = .route(try AppItem(message))
        case .routes(let message): self = .routes(after: try message.item)
        case .workouts(let message): self = .workouts(after: try message.item)
        case .reach(let message): self = try ReachQuestion(message).map(FetchQuestion.reach) ?? .unknown
        case nil: self = .unknown
        }
    }
}

extension Focus_Sync_V1_ListQuestion {
    init(after item: AppItem?) {
        self.init()
        if let item { after = item.message }
    }

    var item: AppItem? {
        get throws(FrameError) { hasAfter ? try AppItem(after) : nil }
    }
}

extension AppItem {
    init(_ message: Focus_Sync_V1_ItemName) throws(FrameError) {
        guard let app = AppID(message.app) else { throw .malformed("fetch: an app is no bundle identifier.") }
        self.init(app, message.id)
    }

    var message: Focus_Sync_V1_ItemName {
        var message = Focus_Sync_V1_ItemName()
        message.app = app.rawValue
        message.id = id
        return message
    }
}

extension Fetched {
    init(_ message: Focus_Sync_V1_Fetched) throws(FrameError) {
        self.init(
            request: message.request, version: Version(message.version), try FetchAnswer(message.answer))
    }

    var message: Focus_Sync_V1_Fetched {
        var message = Focus_Sync_V1_Fetched()
        message.request = request
        message.version = version.rawValue
        switch answer {
        case .points(let points, let next):
            message.routePoints.points = points.map { Focus_Events_V1_RoutePoint($0) }
            if let next { message.routePoints.nextUs = next.microseconds }
        case .speed(let speed):
            message.routeSpeed = Focus_Sync_V1_RouteSpeed()
            if let speed { message.routeSpeed.metresPerSecond = speed }
        case .rows(let rows, let more):
            message.rows.rows = rows.map(\.message)
            message.rows.more = more
        case .reach(let reach): message.reach = reach.message
        case .unknown: break
        }
        return message
    }
}

extension FetchAnswer {
    init(_ answer: Focus_Sync_V1_Fetched.OneOf_Answer?) throws(FrameError) {
        switch answer {
        case .routePoints(let page):
            self = .points(
                page.points.map(\.point), next: page.hasNextUs ? Timestamp(microseconds: page.nextUs) : nil)
        case .routeSpeed(let message): self = .speed(message.hasMetresPerSecond ? message.metresPerSecond : nil)
        case .rows(let page): self = .rows(try DeltaRow.rows(page.rows), more: page.more)
        case .reach(let message): self = .reach(Reach(message))
        case nil: self = .unknown
        }
    }
}
