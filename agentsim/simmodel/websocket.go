package simmodel

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// A websocket is the server's end of a WebSocket connection (RFC 6455) without extensions. Messages are text. One
// goroutine may read while others write.
type websocket struct {
	conn net.Conn
	in   *bufio.Reader

	mu     sync.Mutex // of writes
	out    []byte     // reused
	closed bool       // a close frame was sent
}

// Opcodes of frames, RFC 6455 section 5.2.
const (
	frameMore  = 0x0
	frameText  = 0x1
	frameClose = 0x8
	framePing  = 0x9
	framePong  = 0xA
)

// wantsWebsocket reports whether a request asks for one.
func wantsWebsocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && r.Header.Get("Sec-Websocket-Key") != ""
}

// upgrade answers the handshake of section 4.2.2.
func upgrade(w http.ResponseWriter, r *http.Request) (*websocket, error) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &websocket{conn: conn, in: buffered.Reader}, nil
}

var errFrame = errors.New("a frame breaks the rules of WebSocket")

// read returns the next message. It answers pings. The error is io.EOF once the client has closed.
func (s *websocket) read() ([]byte, error) {
	var message []byte
	for {
		op, last, payload, err := s.frame(maxBody - len(message))
		if err != nil {
			return nil, err
		}
		switch op {
		case frameClose:
			s.close()
			return nil, io.EOF
		case framePing:
			if err := s.write(framePong, payload); err != nil {
				return nil, err
			}
		case framePong:
		case frameText, frameMore:
			if message = append(message, payload...); last {
				return message, nil
			}
		default:
			return nil, errFrame
		}
	}
}

// frame reads one frame, of at most limit bytes.
func (s *websocket) frame(limit int) (op byte, last bool, payload []byte, err error) {
	var head [14]byte
	if _, err = io.ReadFull(s.in, head[:2]); err != nil {
		return 0, false, nil, err
	}
	op, last = head[0]&0x0f, head[0]&0x80 != 0
	size, extra := uint64(head[1]&0x7f), 0
	switch size {
	case 126:
		extra = 2
	case 127:
		extra = 8
	}
	if head[1]&0x80 == 0 || head[0]&0x70 != 0 || op >= frameClose && (extra > 0 || !last) {
		return 0, false, nil, errFrame // clients mask; there are no extensions; control frames are short and whole
	}
	if _, err = io.ReadFull(s.in, head[2:2+extra+4]); err != nil {
		return 0, false, nil, err
	}
	switch extra {
	case 2:
		size = uint64(binary.BigEndian.Uint16(head[2:]))
	case 8:
		size = binary.BigEndian.Uint64(head[2:])
	}
	if size > uint64(max(limit, 125)) {
		return 0, false, nil, errFrame
	}
	payload = make([]byte, size)
	if _, err = io.ReadFull(s.in, payload); err != nil {
		return 0, false, nil, err
	}
	mask := head[2+extra : 2+extra+4]
	for i := range payload {
		payload[i] ^= mask[i%4]
	}
	return op, last, payload, nil
}

// write sends one frame.
func (s *websocket) write(op byte, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	s.closed = op == frameClose
	s.out = append(s.out[:0], 0x80|op)
	switch n := len(payload); {
	case n < 126:
		s.out = append(s.out, byte(n))
	case n < 1<<16:
		s.out = binary.BigEndian.AppendUint16(append(s.out, 126), uint16(n))
	default:
		s.out = binary.BigEndian.AppendUint64(append(s.out, 127), uint64(n))
	}
	s.out = append(s.out, payload...)
	_, err := s.conn.Write(s.out)
	return err
}

// close says goodbye: status 1000, a normal end.
func (s *websocket) close() { _ = s.write(frameClose, []byte{0x03, 0xe8}) }
