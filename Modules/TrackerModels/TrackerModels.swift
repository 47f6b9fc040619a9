// Values are JSON: who imports the models has ``JSONValue``, ``JSONObject`` and ``JSONText`` as well.
@_exported public import TrackerJSON
