import Bridge
import JSONRPC
import TrackerModels

/// What the clients in other languages know of a method.
struct CallTraits: Sendable {
    /// What a call comes to.
    let result: CallResult
    /// What a call takes besides its message id.
    let arguments: [Parameter]
    /// `nil` if it takes no message id.
    let messageID: MessageIDForm?
    /// Whether it takes what the scope around it gives.
    let isScoped: Bool
    /// What is restored of it after a crash of the host.
    let restores: Restoration?
    /// When it ends the setup of its client; `nil` if it never does.
    let ends: SetupEnding?
    /// Whether a setup that waits for a repeated one waits no longer: it may wait for this call, or must not delay it.
    let isUrgent: Bool
    /// Whether it is made again if the host dies before it answers.
    let repeats: Bool
    /// Whether the first argument is a name that may be logged.
    let isNamed: Bool

    init(of row: BridgedMethod) {
        let hasID = row.method.parameters.contains(where: \.isMessageID)
        result = CallResult(of: row)
        arguments = row.method.parameters.filter { !$0.isNamedOnly }
        messageID = hasID ? row.messageID : nil
        restores = row.restores
        ends = row.restores?.ending
        isUrgent = row.restores?.isUrgent ?? false
        isScoped = row.method.parameters.contains(where: \.isScope)
        repeats = hasID || row.isRepeatable || row.beginsClient || [.credentials, .defaults].contains(row.restores)
        isNamed = arguments.first?.reason == RefusalReason.invalidEventName.rawValue
    }
}

/// What a call of a client in another language comes to.
enum CallResult: Hashable, Sendable {
    case outcome
    case nothing
    case report
    case object
    /// An object has one member: its value.
    case member(String)

    init(of row: BridgedMethod) {
        let named = NamedSchema.named(row.method.result)
        if row.method.result == "Outcome" {
            self = .outcome
        } else if row.method.result == "FlushReport" {
            self = .report
        } else if row.beginsClient || named?.isEmpty == true {
            // What the beginning of a client answers besides, the client itself looks at.
            self = .nothing
        } else if let member = named?.onlyMember {
            self = .member(member.name)
        } else {
            self = .object
        }
    }

    /// What a wrong value of a parameter is answered with: a reason if the call has an outcome, else the code of an
    /// error.
    func fault(of parameter: Parameter) -> String {
        self == .outcome
            ? parameter.reason ?? RefusalReason.invalidValue.rawValue
            : parameter.errorIfAbsent?.code ?? "INVALID_PARAMS"
    }
}

/// When a call ends the setup of its client, as a word in the tables of other languages.
enum SetupEnding: String, Sendable {
    case always
    /// If its param `all` is true.
    case all
}

extension Restoration {
    /// The word for it in the tables of other languages.
    var word: String {
        switch self {
        case .setup: "setup"
        case .consent: "consent"
        case .user: "user"
        case .credentials: "credentials"
        case .defaults: "defaults"
        case .ends: "ends"
        case .endsBrand: "endsBrand"
        }
    }

    fileprivate var ending: SetupEnding? {
        switch self {
        case .ends: .always
        case .endsBrand: .all
        case .setup, .consent, .user, .credentials, .defaults: nil
        }
    }

    fileprivate var isUrgent: Bool {
        switch self {
        case .consent, .credentials, .ends, .endsBrand: true
        case .setup, .user, .defaults: false
        }
    }
}

extension BridgedMethod {
    var beginsClient: Bool { if case .setup? = restores { true } else { false } }
}

extension BridgedMethod {
    /// Whether in JavaScript an object as the first argument may hold all params.
    var takesObject: Bool {
        guard let first = method.parameters.first?.kind else { return false }
        return (beginsClient || restores == .credentials || isRepeatable) && [.string, .id].contains(first)
            || restores == .defaults
    }
}

extension Parameter {
    /// Whether this is what a call says for itself: in JavaScript it stands in one object with the message id.
    var isCallOptions: Bool { self === Parameter.callOptions }

    /// Whether this is what is around a call: no argument of it in another language.
    var isScope: Bool { self === Parameter.scope }

    var isMessageID: Bool { self === Parameter.messageID }
}

extension NamedSchema {
    /// The member of an object that has one alone.
    var onlyMember: Schema.Member? {
        guard case .object(let members, nil) = schema, members.count == 1 else { return nil }
        return members[0]
    }

    /// Whether it is an object without members.
    var isEmpty: Bool {
        guard case .object(let members, nil) = schema else { return false }
        return members.isEmpty
    }

    /// Whether a program in another language sees such a value, under this name.
    var isShown: Bool {
        let isUnwrapped = onlyMember != nil && !Self.notifications.contains { $0.name == name }
        return !isUnwrapped && !isEmpty && !Self.hidden.contains(name)
    }

    private static let hidden: Set = [
        "HostInfo", "OpenRPCDocument", "Topic", "Topics", "BrandIdOrReactNativeConfig", "MessageId", "Milliseconds",
        "Id", "AnalyticsScopes", "Properties", "Timestamp",
    ]
}

extension OffAnswer {
    /// The answer as a literal of JavaScript or Python.
    func text(quote: String) -> String {
        switch self {
        case .object(let json): json
        case .consent: "\(quote)consent\(quote)"
        case .param: "\(quote)param\(quote)"
        case .state: "\(quote)state\(quote)"
        }
    }
}
