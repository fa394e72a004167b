/// An app's categories, as devices see them (rule N1; collection `categories`).
public struct CategoriesRow: RowMessage {
    /// The categories as registered.
    public var categories: [NotificationCategory]

    public init(_ categories: [NotificationCategory]) { self.categories = categories }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        for category in categories { writer.message(1) { Self.write(category, &$0) } }
        return writer.bytes
    }

    private static func write(_ category: NotificationCategory, _ writer: inout ProtoWriter) {
        writer.string(1, category.id)
        writer.optionalString(2, category.hiddenPreviewsPlaceholder)
        for action in category.actions {
            writer.message(3) {
                $0.string(1, action.id)
                $0.string(2, action.title)
                $0.optionalString(3, action.icon)
                $0.bool(4, action.destructive)
                $0.bool(5, action.opensApp)
                $0.bool(6, action.textInput)
                $0.bool(7, action.needsUnlock)
            }
        }
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        categories = []
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: categories.append(try Self.category(value.bytes()))
            default: break
            }
        }
    }

    private static func category(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> NotificationCategory {
        var category = NotificationCategory(id: "")
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: category.id = try value.string()
            case 2: category.hiddenPreviewsPlaceholder = try value.string()
            case 3: category.actions.append(try action(value.bytes()))
            default: break
            }
        }
        return category
    }

    private static func action(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> NotificationAction {
        var action = NotificationAction(id: "", title: "")
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: action.id = try value.string()
            case 2: action.title = try value.string()
            case 3: action.icon = try value.string()
            case 4: action.destructive = try value.bool()
            case 5: action.opensApp = try value.bool()
            case 6: action.textInput = try value.bool()
            case 7: action.needsUnlock = try value.bool()
            default: break
            }
        }
        return action
    }
}
