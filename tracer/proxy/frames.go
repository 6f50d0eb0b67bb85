package proxy

import "encoding/binary"

// maxMessage bounds a message of a WebSocket that is put together; a larger one is skipped.
const maxMessage = 32 << 20

// Opcodes of RFC 6455, section 5.2.
const (
	opContinuation = 0
	opText         = 1
	opClose        = 8
	opControl      = 8 // and above
)

// Frames puts the text messages of one direction of a WebSocket together (RFC 6455, section 5). The zero value is ready.
type frames struct {
	head    []byte // of the frame being read, as much as there is
	left    int64  // bytes of its payload to come; its head is complete while inPay
	inPay   bool
	final   bool
	control bool
	masked  bool
	mask    [4]byte
	at      int // place in the mask

	text    bool // the message being put together is text
	tooBig  bool
	message []byte

	closing    bool // this side has begun to close
	unreadable bool // a frame was compressed, or no frame at all: what follows is not looked at
}

// feed takes the next bytes and calls emit for each text message that they complete; the message is valid during the call.
func (f *frames) feed(p []byte, emit func(message []byte)) {
	for len(p) > 0 && !f.unreadable {
		if !f.inPay {
			f.head = append(f.head, p[0])
			p = p[1:]
			f.readHead()
		} else {
			n := int(min(f.left, int64(len(p))))
			f.payload(p[:n])
			p = p[n:]
			f.left -= int64(n)
		}
		if f.inPay && f.left == 0 {
			f.inPay = false
			f.endFrame(emit)
		}
	}
}

// readHead looks whether the head is complete.
func (f *frames) readHead() {
	h := f.head
	if len(h) < 2 {
		return
	}
	size, short := 2, h[1]&0x7f
	switch short {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	masked := h[1]&0x80 != 0
	if masked {
		size += 4
	}
	if len(h) < size {
		return
	}
	switch short {
	case 126:
		f.left = int64(binary.BigEndian.Uint16(h[2:]))
	case 127:
		f.left = int64(binary.BigEndian.Uint64(h[2:]))
	default:
		f.left = int64(short)
	}
	opcode := h[0] & 0x0f
	f.unreadable = h[0]&0x70 != 0 || f.left < 0
	f.final, f.control, f.inPay, f.at, f.masked = h[0]&0x80 != 0, opcode >= opControl, true, 0, masked
	if masked {
		copy(f.mask[:], h[size-4:])
	}
	if !f.control && opcode != opContinuation {
		f.text, f.tooBig, f.message = opcode == opText, false, f.message[:0]
	}
	f.closing = f.closing || opcode == opClose
	f.head = h[:0]
}

func (f *frames) payload(p []byte) {
	if f.control || !f.text || f.tooBig {
		return
	}
	if len(f.message)+len(p) > maxMessage {
		f.tooBig, f.message = true, nil
		return
	}
	start := len(f.message)
	f.message = append(f.message, p...)
	if f.masked {
		for i := range f.message[start:] {
			f.message[start+i] ^= f.mask[f.at&3]
			f.at++
		}
	}
}

func (f *frames) endFrame(emit func([]byte)) {
	if !f.control && f.final && f.text && !f.tooBig {
		emit(f.message)
	}
}
