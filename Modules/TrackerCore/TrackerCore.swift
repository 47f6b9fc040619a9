// A program that tracks needs the values too, so one import gives both.
@_exported public import TrackerModels
