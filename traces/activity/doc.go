// Package activity says what an agent is doing now: what its run is waiting for at an instant, and since when.
//
// A run that may still grow goes in, read from records that are written while it goes on; one State a moment comes out. Of does the work
// that a run takes once; At then costs next to nothing, so that a clock can ask often. The present is put on the recording's clock,
// which a time scale makes go faster.
//
// Nothing is known of an open response but what its last checkpoint told, up to a second ago. So while output flows, the ages of what
// came last are those at the checkpoint; once it has stopped they go on with the clock. A recording whose checkpoints fail to come is
// not believed to go on: it is Lost, whatever it was doing.
package activity
