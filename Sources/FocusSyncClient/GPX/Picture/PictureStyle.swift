import FocusCore

/// How a picture looks, in a light and in a dark surrounding (the viewer's `prefers-color-scheme`).
enum PictureStyle {
    /// Colours of slow to fast. All are about as bright, so that they show on light and on dark ground.
    static let speedColors = [
        "#6a5acd", "#4173d1", "#2f93c5", "#2ba5a0", "#45b06a", "#86b144", "#c0a52f", "#dd8733", "#e05d3c",
    ]

    /// The class of a speed's colour.
    static func speedClass(_ index: Int) -> String { "v\(index)" }

    static let sheet = """
        <style>
        text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-size: 12px; }
        .ground { fill: #ffffff; } .panel { fill: #f5f6f8; } .text { fill: #1b1f24; } .quiet { fill: #5f6872; }
        .title { fill: #1b1f24; font-size: 20px; font-weight: 600; } .small { fill: #5f6872; font-size: 11px; }
        .grid { stroke: #dde1e6; stroke-width: 1; fill: none; } .axis { stroke: #5f6872; stroke-width: 1; fill: none; }
        .casing { stroke: #ffffff; stroke-width: 7; fill: none; stroke-linejoin: round; stroke-linecap: round; }
        .area { fill: #8aa1b8; fill-opacity: 0.35; } .curve { stroke: #3f5f80; stroke-width: 1.5; fill: none; }
        .mean { stroke: #5f6872; stroke-width: 1; stroke-dasharray: 4 3; fill: none; }
        .place { fill: #ffffff; stroke: #1b1f24; stroke-width: 2; }
        .end { fill: #1b1f24; stroke: #ffffff; stroke-width: 2; }
        .gap { stroke: #5f6872; stroke-width: 2; stroke-dasharray: 3 5; fill: none; }
        .halo { stroke: #ffffff; stroke-width: 3; paint-order: stroke; fill: #1b1f24; font-size: 11px; }
        \(colors)
        @media (prefers-color-scheme: dark) {
        .ground { fill: #14171a; } .panel { fill: #1c2025; } .text, .title { fill: #e9ebee; }
        .quiet, .small { fill: #a0a9b2; } .grid { stroke: #31373e; } .axis { stroke: #a0a9b2; }
        .casing { stroke: #14171a; } .area { fill: #7d97b1; } .curve { stroke: #9fbad6; }
        .mean, .gap { stroke: #a0a9b2; }
        .place { fill: #14171a; stroke: #e9ebee; } .end { fill: #e9ebee; stroke: #14171a; }
        .halo { stroke: #14171a; fill: #e9ebee; }
        }
        </style>

        """

    private static var colors: String {
        let lines = speedColors.enumerated().map { index, color in
            ".\(speedClass(index)) { stroke: \(color); stroke-width: 4; fill: none; stroke-linejoin: round; "
                + "stroke-linecap: round; } .f\(index) { fill: \(color); }"
        }
        return lines.joined(separator: "\n")
    }
}

/// Which colour a speed has.
struct SpeedColors {
    /// Metres per second at the first and at the last colour.
    let slow: Double
    let fast: Double

    /// From the speed that a twentieth of the route is slower than to the one that a twentieth is faster than: what a
    /// single bad point claims says nothing of the others.
    /// - Parameter profile: stretches of equal length.
    init(_ profile: RouteProfile) {
        let sorted = profile.stretches.map(\.speed).filter(\.isFinite).sorted()
        slow = sorted.dropFirst(sorted.count / 20).first ?? 0
        fast = sorted.dropLast(sorted.count / 20).last ?? slow
    }

    /// The place in `PictureStyle.speedColors`.
    func index(_ speed: Double) -> Int {
        let count = PictureStyle.speedColors.count
        guard fast > slow, speed.isFinite else { return count / 2 }
        let place = (speed - slow) / (fast - slow) * Double(count)
        return Int(exactly: min(Double(count - 1), max(0, place)).rounded(.down)) ?? 0
    }
}
