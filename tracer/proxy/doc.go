// Package proxy stands between an agent and its model server, forwards every byte, and measures beside.
//
// In go HTTP requests for one of the fixed upstreams; out come the same requests there, the same responses back, and for each pair an
// Exchange: when it was connected, sent, answered, when each piece of generated output arrived, what it was, how it ended.
//
// Forwarding comes first. Bytes pass unchanged both ways; what one read brings is stamped once, written and flushed at once, and
// never joined with what the next brings. A client that goes away is gone upstream in the same moment, and an upstream
// that breaks off breaks off the client the same way: a reset is a reset, an end an end. Measuring works on a copy, in one goroutine
// of its own, in the order in which things happened; if it cannot keep up or breaks, the bytes go on and the exchange says that it
// is incomplete. Bodies are read into facts and dropped. Of headers only those of a short list are looked at, and no query.
//
// What the proxy changes: Host becomes the upstream's, hop-by-hop headers end here (RFC 9110, section 7.6.1), an offer to upgrade to
// h2c is not passed on, and the offer to compress WebSocket messages is withdrawn on sockets that are measured, so that they can be
// read. It adds no header of its own, no Date and no Content-Type either where the upstream sent none.
//
// A slow client does not blur the arrival times: up to a megabyte a response is held for it. Beyond that the upstream has to wait,
// and the exchange is marked as paced by its client.
package proxy
