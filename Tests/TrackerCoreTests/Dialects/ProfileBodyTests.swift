import Testing
import TrackerModels

@testable import TrackerCore

@Suite("The body of a profile update")
struct ProfileBodyTests {
    @Test(
        "keeps the fields that the backend knows, and puts every other into extra",
        arguments: [
            (#"{"name":"Ada","plan":"pro"}"#, #"{"name":"Ada","extra":{"plan":"pro"}}"#),
            (#"{"birthday":null,"phone":"1"}"#, #"{"birthday":null,"phone":"1"}"#),
            (#"{"businessDomain":"x"}"#, #"{"business_domain":"x"}"#),
            (#"{"business_domain":"x","businessDomain":"y"}"#, #"{"business_domain":"y"}"#),
            (#"{"extra":{"a":1},"b":2}"#, #"{"extra":{"a":1,"b":2}}"#),
            (#"{"b":2,"extra":{"b":1}}"#, #"{"extra":{"b":1}}"#),
            (#"{"extra":7}"#, #"{"extra":{"extra":7}}"#),
            (#"{"user_id":"x"}"#, #"{"extra":{"user_id":"x"}}"#),
            (#"{"userId":"x"}"#, #"{"extra":{"user_id":"x"}}"#),
            (#"{"brand_id":1,"session_id":"s"}"#, #"{"extra":{"brand_id":1,"session_id":"s"}}"#),
            (#"{"metadata":{"a":{"b":[1,2.50]}}}"#, #"{"metadata":{"a":{"b":[1,2.50]}}}"#),
            (#"{"name":"a","name":"b"}"#, #"{"name":"b"}"#),
            ("{}", "{}"),
        ])
    func sets(data: String, body: String) {
        #expect(ProfileBody.set(.of(data)).text == body)
    }

    @Test(
        "names the user first; a user id in the data gives way",
        arguments: [
            (nil, #"{"user_id":"u1"}"#),
            (#"{"user_id":"x","name":"Ada"}"#, #"{"user_id":"u1","name":"Ada"}"#),
            (#"{"userId":"x"}"#, #"{"user_id":"u1"}"#),
            (#"{"brand_id":1}"#, #"{"user_id":"u1","extra":{"brand_id":1}}"#),
        ] as [(String?, String)])
    func identifies(data: String?, body: String) throws {
        let user = try #require(UserID("u1"))
        #expect(ProfileBody.identify(user, data.map { .of($0) }).text == body)
    }
}
