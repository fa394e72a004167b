import FocusCore
import Foundation

/// One file of a Settings bundle: its specifiers, as far as they concern defaults.
struct SettingsPane {
    struct Specifier {
        /// The default that the specifier gives; nil unless it has both `Key` and `DefaultValue`.
        var preference: (key: String, value: PropertyValue)?
        /// The file that a `PSChildPaneSpecifier` leads to, with its extension; nil for other specifiers.
        var childPane: String?
    }

    private(set) var specifiers: [Specifier] = []
    private let file: String

    /// - Parameter file: its name within the bundle, for errors.
    init(path: String, file: String, maximumBytes: Int) throws(SettingsBundleError) {
        self.file = file
        let data = try Self.contents(path, file, maximumBytes)
        if BinaryPropertyList(data)?.isBomb == true {
            throw .unusableValue(file: file, place: "the property list", reason: "stands for far more than its bytes")
        }
        var format = PropertyListSerialization.PropertyListFormat.xml
        // Foundation's third format (OpenStep) is not accepted: it takes nearly every text for a string.
        guard let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: &format),
            format == .xml || format == .binary
        else { throw .notAPropertyList(file: file) }
        guard let dictionary = list as? NSDictionary else {
            throw .wrongType(file: file, place: "the property list", expected: "a dictionary")
        }
        guard let items = dictionary["PreferenceSpecifiers"] else { throw .noSpecifiers(file: file) }
        guard let items = items as? NSArray else {
            throw .wrongType(file: file, place: "PreferenceSpecifiers", expected: "an array")
        }
        for (index, item) in items.enumerated() { specifiers.append(try specifier(item, "item \(index)")) }
    }

    private static func contents(_ path: String, _ file: String, _ limit: Int) throws(SettingsBundleError) -> Data {
        // One byte more than allowed tells a file that is too large from one that just fits.
        let data: Data?
        do {
            data = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: limit + 1)
        } catch {
            throw .unreadable(file: file)
        }
        // `read` returns nil for an empty file.
        guard let data else { throw .notAPropertyList(file: file) }
        guard data.count <= limit else { throw .tooLarge(file: file, limit: limit) }
        return data
    }

    private func specifier(_ item: Any, _ place: String) throws(SettingsBundleError) -> Specifier {
        guard let item = item as? NSDictionary else {
            throw .wrongType(file: file, place: place, expected: "a dictionary")
        }
        var specifier = Specifier()
        let key = try text(item, "Key", place)
        if let key, let value = item["DefaultValue"] {
            do {
                var reader = PropertyListReader()
                specifier.preference = (key, try reader.value(value))
            } catch {
                throw .unusableValue(file: file, place: "\(place)'s DefaultValue", reason: error.description)
            }
        }
        if try text(item, "Type", place) == "PSChildPaneSpecifier" {
            guard let name = try text(item, "File", place), !name.isEmpty else {
                throw .wrongType(file: file, place: "\(place)'s File", expected: "the name of a child pane")
            }
            specifier.childPane = name.hasSuffix(".plist") ? name : name + ".plist"
        }
        return specifier
    }

    private func text(_ item: NSDictionary, _ name: String, _ place: String) throws(SettingsBundleError) -> String? {
        guard let value = item[name] else { return nil }
        guard let text = value as? String else {
            throw .wrongType(file: file, place: "\(place)'s \(name)", expected: "a string")
        }
        return text
    }
}
