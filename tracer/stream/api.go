package stream

import "strings"

// An API is a way to ask a model for output.
type API string

// The APIs that are decoded. The empty API is none of them.
const (
	ChatAPI           API = "chat"            // OpenAI Chat Completions
	CompletionsAPI    API = "completions"     // OpenAI's legacy completions
	ResponsesAPI      API = "responses"       // OpenAI Responses
	MessagesAPI       API = "messages"        // Anthropic Messages
	OllamaChatAPI     API = "ollama_chat"     // Ollama /api/chat
	OllamaGenerateAPI API = "ollama_generate" // Ollama /api/generate
	GeminiAPI         API = "gemini"          // Google generateContent and streamGenerateContent
)

// paths are the ends of the paths of each API. The first that fits counts.
var paths = []struct {
	end string
	api API
}{
	{"/chat/completions", ChatAPI}, {"/completions", CompletionsAPI}, {"/responses", ResponsesAPI}, {"/messages", MessagesAPI},
	{"/api/chat", OllamaChatAPI}, {"/api/generate", OllamaGenerateAPI},
	{":generateContent", GeminiAPI}, {":streamGenerateContent", GeminiAPI},
	{":rawPredict", MessagesAPI}, {":streamRawPredict", MessagesAPI}, // Anthropic's models on Vertex
}

// APIOf returns the API that a request's path belongs to, "" if none: only requests that generate output have one.
func APIOf(path string) API {
	path = strings.TrimRight(path, "/")
	for _, p := range paths {
		if strings.HasSuffix(path, p.end) {
			if p.end == "/messages" && strings.Contains(path, "/threads/") {
				return "" // messages of OpenAI's assistants
			}
			return p.api
		}
	}
	return ""
}

// New returns the decoder for the API that path belongs to. ok is false where the path is none of a known API that
// generates output; the decoder then sees bytes only.
func New(path string, opt Options) (d Decoder, ok bool) {
	switch APIOf(path) {
	case ChatAPI, CompletionsAPI:
		return NewChat(opt), true
	case ResponsesAPI:
		return NewResponses(opt), true
	case MessagesAPI:
		return NewMessages(opt), true
	case OllamaChatAPI, OllamaGenerateAPI:
		return NewOllama(opt), true
	case GeminiAPI:
		return NewGemini(opt), true
	}
	return &Opaque{}, false
}
