package export

import "testing"

func TestTheEnvironmentDecidesWhetherSpansAreSent(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  map[string]string
		want int
		bad  bool
	}{
		{"nothing is set: nothing is sent", nil, 0, false},
		{"an endpoint is enough", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, 1, false},
		{"an endpoint for traces alone is enough", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, 1, false},
		{"gRPC is spoken too", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, 1, false},
		{"the protocol for traces wins", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "x", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc"}, 1, false},
		{"an unknown protocol is an error", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "carrier-pigeon"}, 0, true},
		{"the SDK's switch turns it off", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"}, 0, false},
		{"no exporter of traces is wanted", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}, 0, false},
		{"one of several wanted is OTLP", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "console, otlp"}, 1, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, key := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL",
				"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER"} {
				t.Setenv(key, tc.env[key])
			}
			got, err := FromEnv(t.Context())
			if len(got) != tc.want || (err != nil) != tc.bad {
				t.Errorf("got %d exporters and error %v, want %d and error %v", len(got), err, tc.want, tc.bad)
			}
		})
	}
}
