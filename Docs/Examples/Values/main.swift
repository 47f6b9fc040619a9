// TrackerModels alone: JSON that stays as it was written, and values that cannot be wrong.
//
//     ValuesExample < lines.json    adds a member to each line's object, and says what is wrong with the other lines
//
// The target depends on the product TrackerModels, which brings TrackerJSON.

import TrackerModels

var number = 0
while let line = readLine() {
    number += 1
    do {
        // One pass checks the text and keeps it: no number loses a digit, no member its place.
        guard var object = JSONObject(try JSONText(validating: line)) else {
            print("line \(number) is no object")
            continue
        }
        object["line"] = JSONValue(number)
        print(try JSONText(object))
    } catch {
        print("line \(number) is no JSON: \(error)")
    }
}

// An identifier is checked when it is made, so that nothing later has to.
print(MessageID("order-4711").map { "\($0) is a message id" } ?? "that is none")
print(MessageID("line\nbreak").map { "\($0) is a message id" } ?? "a line break is in no message id")
