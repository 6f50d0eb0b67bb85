// Package otlp speaks OTLP: spans of OpenTelemetry as JSON in files, and as protobuf to and from the network.
//
// Read takes OTLP/JSON in any shape seen in files and gives records; AppendJSON gives one line of the native file for
// records; Export sends records to a collector, and a Receiver is one. Protos and FromProtos convert to and from OTLP's messages. Read(AppendJSON(records)) gives the same records back, with these
// exceptions: a record without a span id is left out, ids are brought to one form (lower-case hexadecimal, "" for zeros),
// text that is not UTF-8 is repaired and marked, empty lists and maps come back nil, and what is nested deeper than 64
// levels is cut off.
//
// The format is that of opentelemetry-proto 1.11, its JSON mapping and its file exporter (JSON lines), with the
// deviations of older and other writers: Tempo's and Jaeger's envelopes, base64 ids, names of enumerations, snake_case.
package otlp
