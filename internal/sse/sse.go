// Package sse cuts a byte stream into server-sent events.
//
// Bytes go in as they arrive, in pieces of any size; events come out as soon as the blank line that ends them is
// complete. How the stream is cut into pieces never changes which events come out. The grammar is that of the WHATWG
// HTML standard, section 9.2.6: lines end in LF, CRLF or a lone CR, a byte order mark at the start is dropped, one
// space after the colon is dropped, several data lines join with LF, comments and unknown fields are skipped. Two
// things differ: an event left without its blank line at the end of the stream can be asked for, and an event larger than a
// cap is dropped and counted, so that memory stays bounded whatever the server sends.
//
// Nothing is decoded or validated: U+2028 is not a line end, and half a UTF-8 sequence waits for its other half.
package sse

import "bytes"

// DefaultMax is the size above which an event is dropped when Scanner.Max is 0. Whole answers echoed in one last event
// and images reach several MB.
const DefaultMax = 32 << 20

// A Scanner cuts one stream. The zero value is ready. It is not safe for concurrent use.
type Scanner struct {
	Max       int // largest event in bytes, field names not counted; 0: DefaultMax
	Comments  int // comment lines so far
	Oversized int // events dropped because they were larger than Max

	line    []byte // start of a line whose end has not arrived
	data    []byte // data lines of the event so far, joined with LF
	name    []byte // its event field
	hasData bool   // a data line was seen, if only an empty one
	tooBig  bool   // the rest of this event is dropped
	lastCR  bool   // the last byte was the CR of a line end: a LF now belongs to it
	bom     int    // bytes of the byte order mark matched; bomDone when past the start
}

const bomDone = 4

// Feed takes the next bytes of the stream and calls emit for each event that they complete. event is empty where the
// stream names none; both slices are valid only during the call. Feed allocates only while its buffers grow.
func (s *Scanner) Feed(p []byte, emit func(event, data []byte)) {
	if s.bom != bomDone {
		p = s.skipBOM(p)
	}
	for len(p) > 0 {
		if s.lastCR {
			s.lastCR = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		end := lineEnd(p)
		if end < 0 {
			s.keep(p)
			return
		}
		line := p[:end]
		if len(s.line) > 0 {
			s.keep(line)
			line = s.line
		}
		s.lastCR = p[end] == '\r'
		p = p[end+1:]
		s.endLine(line, emit)
		s.line = s.line[:0]
	}
}

// Finish ends the stream. If it stopped inside an event, what there is of that event is emitted, and Finish reports
// true: the standard says to drop it, but what was sent was sent.
func (s *Scanner) Finish(emit func(event, data []byte)) bool {
	if len(s.line) > 0 {
		s.endLine(s.line, emit)
		s.line = s.line[:0]
	}
	open := s.hasData
	s.dispatch(emit)
	return open
}

func (s *Scanner) max() int {
	if s.Max > 0 {
		return s.Max
	}
	return DefaultMax
}

// limit is the longest line that may belong to an event.
func (s *Scanner) limit() int { return s.max() + len("data: ") }

var mark = [...]byte{0xEF, 0xBB, 0xBF}

// skipBOM drops a byte order mark at the start of the stream; bytes that only looked like one are put back.
func (s *Scanner) skipBOM(p []byte) []byte {
	for len(p) > 0 && s.bom < len(mark) && p[0] == mark[s.bom] {
		s.bom++
		p = p[1:]
	}
	if len(p) == 0 && s.bom < len(mark) {
		return nil
	}
	if s.bom < len(mark) {
		s.line = append(s.line, mark[:s.bom]...)
	}
	s.bom = bomDone
	return p
}

func lineEnd(p []byte) int {
	lf := bytes.IndexByte(p, '\n')
	if lf < 0 {
		return bytes.IndexByte(p, '\r')
	}
	if cr := bytes.IndexByte(p[:lf], '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// keep holds the start of a line: of a line longer than the limit, one byte more than the limit.
func (s *Scanner) keep(p []byte) {
	room := max(0, s.limit()+1-len(s.line))
	s.line = append(s.line, p[:min(len(p), room)]...)
}

func (s *Scanner) endLine(line []byte, emit func(event, data []byte)) {
	if len(line) == 0 {
		s.dispatch(emit)
		return
	}
	if line[0] == ':' {
		s.Comments++
		return
	}
	if len(line) > s.limit() {
		s.tooBig = true
		return
	}
	field, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(field) {
	case "data":
		if s.tooBig || len(s.data)+len(value) > s.max() {
			s.tooBig = true
			return
		}
		if s.hasData {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, value...)
		s.hasData = true
	case "event":
		s.name = append(s.name[:0], value...)
	}
}

func (s *Scanner) dispatch(emit func(event, data []byte)) {
	switch {
	case s.tooBig:
		s.Oversized++
	case s.hasData:
		emit(s.name, s.data)
	}
	s.data, s.name, s.hasData, s.tooBig = s.data[:0], s.name[:0], false, false
}
