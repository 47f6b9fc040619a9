import TestSupport
import TrackerCore
import TrackerModels

extension ParityScenario {
    /// A story made by chance.
    ///
    /// Where two things could happen in either order it waits, so that there is but one right course.
    static func generate(seed: UInt64) -> [ParityStep] {
        var chance = Chance(random: SeededGenerator(seed: seed))
        var steps: [ParityStep] = []
        var consent = chance.oneOf([Consent.granted, .granted, .granted, .pending, .denied])
        let initial = consent
        let isCrossSite = chance.flip()
        let start = ParityStep.initialize(brandId: chance.oneOf(["1", "925", "007"])) {
            $0.consent = initial
            $0.crossSiteCookie = isCrossSite
        }
        // Under an answer that ends a session, it is chance whether the next call still finds that session: whatever may
        // have something sent is waited for first.
        var followsUp: [ParityStep] = []
        if chance.flip(1, in: 4) { steps.append(chance.call()) }
        steps.append(start)
        for _ in 0..<Int.random(in: 4...14, using: &chance.random) {
            switch Int.random(in: 0..<12, using: &chance.random) {
            case 0:
                steps += [.settle, .answers(chance.answers())]
                followsUp = [.settle]
            case 1 where consent == .granted: steps += [.settle, .reset(all: false), .awaitSession]
            case 2 where consent == .granted: steps += [.settle, .reset(all: true), .awaitSession, .values, start]
            case 3:
                consent = chance.oneOf(Consent.allCases)
                steps += [.settle, .consent(consent, nil)]
                if consent == .granted { steps += [.awaitSession] + followsUp }
            case 4: steps += [.settle, .values]
            case 5: steps += [.settle, .restart, start] + followsUp
            case 6: steps += [.settle, .debugInfo]
            default: steps += [chance.call()] + followsUp
            }
        }
        return steps + [.settle, .values, .debugInfo]
    }
}

extension Chance {
    fileprivate mutating func call() -> ParityStep {
        let id = flip(1, in: 4) ? MessageID("chosen-\(Int.random(in: 0..<4, using: &random))") : nil
        return switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: .track(name(), maybeObject(), maybeObject(), id)
        case 3: .identify(name(), maybeObject())
        case 4: .set(object(), id)
        case 5: .setMetadata(object())
        case 6: .screen(name(), maybeObject())
        case 7: .screenDidAppear(name(), flip() ? name() : nil, maybeObject())
        case 8:
            .location(
                LocationData(
                    latitude: Double.random(in: -95...95, using: &random),
                    longitude: Double.random(in: -185...185, using: &random),
                    accuracy: Double.random(in: -1...100, using: &random)))
        case 9: .email(oneOf(["a@b.example", "nobody", "a b@c", "é@ü.example", "a@b@c"]))
        case 10: .link(name())
        default:
            .crossDomainURL(oneOf(["https://a.example/?x=1#y", "no url", "https://a.example?gt_session_id=old&z"]))
        }
    }

    fileprivate mutating func answers() -> [ParityAnswer] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            oneOf([
                .status(200), .status(204), .status(500), .status(503), .status(400), .status(422), .status(413),
                .status(404), .session("s-\(Int.random(in: 0..<3, using: &random))"),
            ])
        }
    }
}
