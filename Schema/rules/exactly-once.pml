/*
 * Exactly once (rules E1, P1-P3, P6, P10, S6): appending, recalling and healing as a model in Promela, which spin
 * checks exhaustively. ops/model runs it in all its configurations; protocol.md says the rules in words.
 *
 * Who acts: a device with a queue; a clone of it, which is a copy of its store that lives beside it; servers; the
 * world, which restores the device from one of its backups, cuts connections, and takes the tail of the log.
 *
 * How the rules are read here:
 *  - A place is (incarnation, sequence). Append: what stands at the place answers; the next place, and a lost one, is
 *    taken; another event there, or an incarnation that has ended, is a conflict, and the session takes nothing more.
 *  - Recall ends an incarnation for good before it is answered: no Append, re-offer or Lost adds anything to it. What
 *    stands there is still answered.
 *  - A store with unanswered events appends them from the first on. A conflict, an ended incarnation or more in the log
 *    than it ever assigned makes it recall them all, incarnation by incarnation, from the beginning with each
 *    connection. What is not held then goes into a new incarnation, in order. That is derived from the place and the
 *    event of the first of these, after the recalling. What is made meanwhile comes behind them.
 *  - A store without any draws a new incarnation when the log has more than it ever assigned.
 *  - Healing offers everything acknowledged that the store holds. It begins when the log's last sequence is below what
 *    was acknowledged, when another event stands at an acknowledged place, and when the event of the last answer is not
 *    in the log where it was. An incarnation that the store has ended ends again when nothing of it is left to offer.
 *    What has no place any more counts as unanswered; after the healing it is recalled with the rest.
 *  - With GOES_ON a healing that was interrupted goes on behind the last frame that was answered, if what the log said
 *    in it is still there; without, it begins anew. GOES_ON_BLINDLY does not ask that.
 *  - Where nothing of the store's incarnation is acknowledged, those that it has ended end again before anything is
 *    appended: nothing else would tell that the log has lost that.
 *  - A server that finds another history drops its sessions with all that waits, before it appends anything.
 *
 * What is asserted (each can be checked alone):
 *  CHECK_ACKNOWLEDGED  what a store is told to be logged stands at its place, or the log lost it;
 *  CHECK_ONCE          no event is logged twice, whatever was restored;
 *  CHECK_ORDER         no event is logged before one that its store knew when it was made was logged for the first
 *                      time;
 *  CHECK_SETTLED       when nothing can happen any more, every event of a living store is answered, and whatever it
 *                      holds as acknowledged is in the log at its place.
 *  With -DNP and pan -l: no run goes on for ever. Everything in the world is bounded, so a cycle is a protocol that
 *  goes round; no fairness is assumed. A new incarnation without end would also run out of INCARNATIONS, which is
 *  asserted.
 *
 * Bounds: at most 5 events, 2 restores from 2 backups, 1 clone, 2 losses, 2 frames in flight on a connection, one
 * connection whose frames are read late. The world may stop at any moment. ops/model --list says which go together.
 *
 * The known limits, both only after a loss of the log: the event is in the log twice.
 *  limit           A store re-places an event, the log loses the end of its old incarnation and the beginning of its
 *                  new one, and a clone appends the event at its old place before the store is back. That takes a
 *                  clone, a loss, and one of these: a restore, a second loss, an incarnation that the server ended.
 *  limit-trimmed   The log loses an event that one of two copies has trimmed. What comes behind it goes into a new
 *                  incarnation that one copy derives from that event and the other from the next.
 *
 * Left out: what an event says and how it is judged (so refused ones, and that a repeated answer is the same one);
 * other devices, users and scopes; several events in a frame (each is a frame of its own, all are pipelined); a Recall
 * that is answered in parts (the incarnation is frozen from the first on); events without a receipt, and receipts of
 * several events; ids that the server remembers across incarnations; limits on incarnations and lost ranges; a server
 * whose state lags behind the log (each step of a server sees its head; a Welcome may be heard late); commits that are
 * visible and not durable (P1); the order in which healed events come back; incarnations of older logs; sequences that
 * end; protocol 1 beside 2.
 *
 * WITHOUT_P10 has no recalling: a server knows a repeated event only within a window of the last ones of the device,
 * scaled from 256 down to WINDOW.
 * SPURIOUS lets a store heal though nothing was lost. ENDINGS lets the server end the first incarnation by itself, as
 * it does where too many are open. Each of the other switches takes out one rule: ops/model says which, and expects a
 * violation.
 *
 * Two habits of spin: hidden variables are not part of a state, so each is written before it is read within one
 * d_step; a loop is not the last statement of a d_step.
 */

/* Bounds; ops/model sets them. */
#ifndef EVENTS
#define EVENTS 3
#endif
#ifndef RESTORES
#define RESTORES 0
#endif
#ifndef BACKUPS
#define BACKUPS 1
#endif
#ifndef CLONES
#define CLONES 0
#endif
#ifndef CUTS
#define CUTS 0
#endif
#ifndef LOSSES
#define LOSSES 0
#endif
#ifndef TRIMS
#define TRIMS 0
#endif
#ifndef WINDOW
#define WINDOW 1
#endif
#ifndef PIPELINED
#define PIPELINED 2
#endif
#ifndef FROZEN
#define FROZEN 0
#endif
#ifndef CURSOR_LAGS
#define CURSOR_LAGS 0
#endif
#ifndef OFFER_ALL
#define OFFER_ALL 1
#endif
#ifndef ENDINGS
#define ENDINGS 0
#endif
#ifdef WITHOUT_P10
#define TODAY 1
#else
#define TODAY 0
#endif
#define LOG_ROOM 14
#define INCARNATIONS 8

#ifdef GOES_ON_BLINDLY
#define GOES_ON
#define MAY_GO_ON(s) (store[s].heals)
#else
#define MAY_GO_ON(s) (store[s].heals && !ev && logged[s] >= store[s].reached)
#endif

/* What is asserted; each can be checked alone. */
#if !defined(CHECK_ACKNOWLEDGED) && !defined(CHECK_ONCE) && !defined(CHECK_ORDER) && !defined(CHECK_SETTLED)
#define CHECK_ACKNOWLEDGED
#define CHECK_ONCE
#define CHECK_ORDER
#define CHECK_SETTLED
#endif

/* A place is an incarnation and a sequence. Sequence 0: made, and not numbered yet. */
#define PLACE(i, q) ((i) * 8 + (q))
#define INC(p) ((p) >> 3)
#define SEQ(p) ((p) & 7)
#define BIT(n) (1 << (n))

/* ---- The log: entries in the order of the user's stream. ---- */

#define REPEATED 8  /* without P10: event.refused(already_logged) takes the place of event (what & 7) */
#define LOST 16     /* device.eventsLost: (what & 7) is the first of them, the place the last */

byte where[LOG_ROOM];
byte what[LOG_ROOM];   /* an event; or a mark above; where the sequence is 0: incarnationEnded */
byte size;

/* Incarnations that there are, by the key that they are derived from; 0: drawn. The first is there at the start. */
short key[INCARNATIONS];
byte incarnations = 1;

/* ---- Stores: the device's, its clone's, and two backups. ---- */

typedef Store {
  byte cur;       /* the incarnation */
  byte acked;     /* the last answered sequence of it */
  byte top;       /* the last assigned sequence of it */
  byte todo;      /* events without an answer */
  byte held;      /* events that it has; those not in todo have a receipt */
  bit recalls;      /* a recalling was begun and not finished */
  byte ended;       /* incarnations that it has ended */
  byte seen;      /* the log was that long when it last said something; BROKEN: it is not that log any more */
#ifdef DERIVED_BEFORE
  byte base;
#endif
  bit heals;      /* a healing was begun and not finished */
#ifdef GOES_ON
  byte done;      /* events up to this one were answered in it */
  byte redone;    /* incarnations that ended again in it */
  byte reached;   /* the last sequence of the incarnation that a Welcome or an answer named */
#endif
  byte place[EVENTS + 1];
}
#define DEVICE 0
#define CLONE 1
#define BACKUP 2
#define BROKEN 255
Store store[4];
bit lives[2];
byte taken;       /* backups */

/* ---- Connections. ---- */

mtype = { closed, greeted, healing, recalling, live,
          append, reoffer, lost, recall,
          welcome, appended, conflict, gap, healed, displaced, recalled };
mtype phase[2] = closed;
byte sent[2];        /* the last sequence that went out */
byte logged[2];      /* Welcome's last sequence */
byte offered[2];     /* events up to this one were offered */
bit deaf[2];         /* the server takes nothing more of this session (P3) */
bit outdated[2];     /* it is of before the log lost its tail */
bit over[2];         /* Welcome said that the incarnation has ended */
byte asked[2];       /* incarnations that were recalled, or ended again */
chan up[2] = [PIPELINED] of { mtype, byte, byte };
chan down[2] = [PIPELINED] of { mtype, byte, byte };
/* A connection that is gone, whose frames another server has not read yet. */
chan frozen = [PIPELINED] of { mtype, byte, byte };

/* ---- What the world may still do, and what is remembered for the properties alone. ---- */

byte made, restores = RESTORES, clones = CLONES, cuts = CUTS, losses = LOSSES, trims = TRIMS, endings = ENDINGS;
bit calm;
byte before[EVENTS + 1];  /* events that the event's store knew when it made it */
byte ever;                /* events that were ever logged */
byte gone;                /* events that the log lost */

/* Scratch: written before it is read, within one step. */
hidden byte more, other, shut, spot, j, k, e, n, last, found, first;
hidden byte near;
hidden short name;
hidden mtype kind, answer;
hidden byte place, event, said;

/* ---- The log. ---- */

/* What it says of an incarnation: last, and whether it has ended: shut. */
inline fold(i) {
  last = 0; shut = 0;
  for (k : 0 .. size - 1) {
    if
    :: INC(where[k]) == (i) && SEQ(where[k]) == 0 -> shut = 1
    :: INC(where[k]) == (i) && SEQ(where[k]) > last -> last = SEQ(where[k])
    :: else
    fi
  }
}

inline put(p, w) {
  assert(size < LOG_ROOM);
  printf("    log[%d]: place %d.%d: %d\n", size, INC(p), SEQ(p), w);
  where[size] = p; what[size] = w; size++
}

/* Which event it has at a place: found, 0 for none; whether that is among the last of the device (without P10): near. */
inline find(p) {
  found = 0; near = 0; n = 0; k = size;
  do
  :: k > 0 ->
     k--;
     if
     :: SEQ(where[k]) != 0 && what[k] < LOST ->
        if :: where[k] == (p) -> found = what[k] & 7; near = n < WINDOW :: else fi;
        n++
     :: else
     fi
  :: else -> break
  od
}

/* Today: whether the event is among the last of the device: near. */
inline remember(ev) {
  near = 0; n = 0; k = size;
  do
  :: k > 0 && n < WINDOW ->
     k--;
     if
     :: what[k] < LOST ->
        if :: (what[k] & 7) == (ev) -> near = 1 :: else fi;
        n++
     :: else
     fi
  :: else -> break
  od
}

inline putEvent(p, ev) {
#ifdef CHECK_ONCE
  for (k : 0 .. size - 1) { assert(SEQ(where[k]) == 0 || what[k] != (ev)) }
#endif
#ifdef CHECK_ORDER
  assert((before[ev] & ~ever) == 0);
#endif
  ever = ever | BIT(ev);
  put(p, ev)
}

/* ---- A server: `kind`, `place`, `event` of a session with incarnation i; the answer is `answer`, `said`. ---- */

inline serve() {
  answer = 0; said = 0;
  printf("  server: %e %d.%d: %d\n", kind, INC(place), SEQ(place), event);
  fold(INC(place));
  find(place);
  if
  :: kind == append || (kind == reoffer && TODAY) ->
     if
     :: SEQ(place) <= last ->
#ifdef WITHOUT_P10
        if :: near && found != event -> answer = conflict :: else -> answer = appended fi
#else
        if
        :: found == event -> answer = appended
#ifndef LOST_IS_CLOSED
        :: found == 0 && !shut -> putEvent(place, event); answer = appended
#endif
        :: else -> answer = conflict
        fi
#endif
     :: SEQ(place) > last && shut -> answer = conflict
     :: SEQ(place) == last + 1 && !shut ->
#ifdef WITHOUT_P10
        remember(event);
        if :: near -> put(place, REPEATED | event) :: else -> putEvent(place, event) fi;
#else
        putEvent(place, event);
#endif
        answer = appended
     :: else -> answer = gap; said = last + 1
     fi;
     if
     :: kind == reoffer && answer == appended -> answer = healed
     :: kind == reoffer && answer == conflict -> answer = displaced
     :: else
     fi
  :: kind == reoffer && !TODAY ->
     if
     :: found == event -> answer = healed
     :: found != event && found != 0 -> answer = displaced
#ifndef REOFFER_EXTENDS
     :: found == 0 && shut -> answer = displaced
     :: found == 0 && SEQ(place) <= last + 1 && !shut ->
#else
     :: found == 0 && SEQ(place) <= last + 1 ->
#endif
        putEvent(place, event); answer = healed
     :: else -> answer = gap; said = last + 1
     fi
  :: kind == lost ->
     if :: SEQ(place) > last && !shut -> put(place, LOST | (last + 1)) :: else fi;
     answer = healed
  :: kind == recall ->
#ifndef WITHOUT_END
     if :: !shut -> put(PLACE(INC(place), 0), 0) :: else fi;
#endif
     answer = recalled
  fi
}

/* Which of a store's events of an incarnation the log has where it put them. */
inline lookUp(s, i) {
  said = 0;
  for (e : 1 .. EVENTS) {
    if
    :: (store[s].todo & BIT(e)) && SEQ(store[s].place[e]) != 0 && INC(store[s].place[e]) == (i) ->
       spot = store[s].place[e]; find(spot);
       if :: found == e -> said = said | BIT(e) :: else fi
    :: else
    fi
  }
}

/* ---- A store. ---- */

inline copy(a, b) {
  store[b].cur = store[a].cur;
  store[b].acked = store[a].acked;
  store[b].top = store[a].top;
  store[b].todo = store[a].todo;
  store[b].held = store[a].held;
  store[b].recalls = store[a].recalls;
  store[b].ended = store[a].ended;
  store[b].seen = store[a].seen;
  store[b].heals = store[a].heals;
#ifdef GOES_ON
  store[b].done = store[a].done; store[b].redone = store[a].redone; store[b].reached = store[a].reached;
#endif
  for (e : 1 .. EVENTS) { store[b].place[e] = store[a].place[e] }
}

/* The log said that it has the event there. */
inline accept(s, ev) {
  spot = store[s].place[ev]; find(spot);
  if
  :: found == ev ->
     for (k : 0 .. size - 1) {
       if
       :: where[k] == store[s].place[ev] && what[k] < LOST && store[s].seen <= k &&
          !CURSOR_LAGS -> store[s].seen = k + 1
       :: else
       fi
     }
  :: else ->
#ifdef CHECK_ACKNOWLEDGED
     assert(gone & BIT(ev));
#endif
     if :: CURSOR_LAGS :: !CURSOR_LAGS -> store[s].seen = BROKEN fi
  fi;
  store[s].todo = store[s].todo & ~BIT(ev)
}

/* All without an answer, in the order in which they were made, get the next sequences. */
inline renumber(s) {
  for (e : 1 .. EVENTS) {
    if
    :: store[s].todo & BIT(e) ->
       store[s].top++;
       store[s].place[e] = PLACE(store[s].cur, store[s].top)
    :: else
    fi
  }
}

/* A new incarnation: derived from the first event without an answer, or drawn. Those without an answer go into it. */
inline begin(s) {
  first = 0;
  for (e : 1 .. EVENTS) {
    if :: (store[s].todo & BIT(e)) && first == 0 -> first = e :: else fi
  }
  name = 0; n = 0;
#if !defined(WITHOUT_P10) && !defined(DRAWN)
#ifdef UNPLACED_DRAWN
  if :: first != 0 && SEQ(store[s].place[first]) == 0 -> first = 0 :: else fi;
#endif
#ifdef DERIVED_BEFORE
  if :: first != 0 -> first = store[s].base :: else fi;
#endif
  if
  :: first != 0 ->
     name = store[s].place[first] * 8 + first;
     for (k : 1 .. incarnations - 1) {
       if :: key[k] == name -> n = k :: else fi
     }
  :: else
  fi;
#endif
  if
  :: n == 0 ->
     assert(incarnations < INCARNATIONS);
     n = incarnations; key[n] = name; incarnations++
  :: else
  fi;
  assert(n != store[s].cur);
  printf("store %d begins incarnation %d after %d\n", s, n, store[s].cur);
  store[s].recalls = 0;
  store[s].heals = 0;
#ifdef GOES_ON
  store[s].done = 0; store[s].redone = 0; store[s].reached = 0;
#endif
  store[s].cur = n; store[s].acked = 0; store[s].top = 0;
  renumber(s);
  e = 0
}

/* Everything without an answer is to be recalled. */
inline startRecalling(s) {
  store[s].recalls = 1;
#ifdef DERIVED_BEFORE
  store[s].base = 0;
  for (e : 1 .. EVENTS) {
    if :: (store[s].todo & BIT(e)) && store[s].base == 0 -> store[s].base = e :: else fi
  }
#endif
}

/* The connection is gone. Answers on their way are lost; frames on their way may be read much later. */
inline close(s) {
  if
  :: nempty(up[s]) && !deaf[s] && FROZEN ->
     d_step {
       do :: nempty(frozen) -> frozen?kind, place, event :: empty(frozen) -> break od;
       do :: nempty(up[s]) -> up[s]?kind, place, event; frozen!kind, place, event :: empty(up[s]) -> break od;
       printf("%d frames of store %d freeze\n", len(frozen), s)
     }
  :: empty(up[s]) || deaf[s] || !FROZEN || nempty(frozen)
  fi;
  d_step {
    do :: nempty(up[s]) -> up[s]?kind, place, event :: empty(up[s]) -> break od;
    do :: nempty(down[s]) -> down[s]?kind, place, event :: empty(down[s]) -> break od;
    printf("connection of store %d closes\n", s);
    phase[s] = closed; sent[s] = 0; logged[s] = 0; offered[s] = 0; deaf[s] = 0; outdated[s] = 0;
    over[s] = 0; asked[s] = 0
  }
}

/* Nothing is to be healed: what comes next. */
inline enter(s) {
#ifndef WITHOUT_P10
  if
  :: !store[s].recalls && store[s].todo != 0 && (over[s] || logged[s] > store[s].top) -> startRecalling(s)
  :: else
  fi;
#endif
  phase[s] = (store[s].recalls -> recalling : live)
}

inline answerTo(s) {
  serve();
  if
  :: answer == recalled ->
     if :: event != 0 -> spot = INC(place); lookUp(s, INC(place)) :: else fi;
     down[s]!recalled(said, INC(place))
  :: answer == conflict ->
#ifndef WITHOUT_P3
     deaf[s] = 1;
#endif
     down[s]!conflict(0, event)
  :: answer != recalled && answer != conflict -> down[s]!answer(said, event)
  fi
}

proctype Session(byte s) {
  byte got, ev;
  mtype heard;
  bit differs;
end:
  do
  :: atomic { lives[s] && phase[s] == closed ->
       /* Hello, and what the server says to it. The log may change before the device hears it. */
       d_step {
         spot = store[s].cur; fold(spot); spot = PLACE(spot, last); find(spot);
         phase[s] = greeted; logged[s] = last;
         over[s] = shut;
         printf("store %d says hello in %d, last is %d: %d\n", s, store[s].cur, last, found);
         down[s]!welcome(found, store[s].seen == BROKEN)
       }
     }
  :: atomic { phase[s] == greeted && down[s]?[welcome] ->
       down[s]?welcome(got, ev);
       d_step {
         /* Whether the log has another event at its last sequence than this store, or more than it ever made. */
         more = logged[s] > store[s].top;
         other = 0;
         for (e : 1 .. EVENTS) {
           if
           :: got != 0 && logged[s] > 0 && store[s].place[e] == PLACE(store[s].cur, logged[s]) && e != got &&
              ((store[s].held & BIT(e)) || logged[s] == store[s].acked) -> other = e
           :: else
           fi
         }
         differs = 0;
#ifdef WITHOUT_P10
         differs = more;
#else
#ifndef OTHER_IGNORED
         if :: other && !(store[s].todo & BIT(other)) -> ev = 1 :: else fi;
#endif
#endif
         got = 0
       }
       if
       :: differs -> ev = 0; differs = 0; close(s); d_step { begin(s) }
       :: !differs ->
          d_step {
            sent[s] = store[s].acked;
            if
#ifdef GOES_ON
            :: MAY_GO_ON(s) ->
               offered[s] = store[s].done; asked[s] = store[s].redone; phase[s] = healing;
               printf("store %d goes on behind %d\n", s, store[s].done)
            :: !MAY_GO_ON(s) && (logged[s] < store[s].acked || ev || store[s].heals) ->
               store[s].heals = 1; store[s].seen = 0; phase[s] = healing;
               store[s].done = 0; store[s].redone = 0; store[s].reached = logged[s]
#else
            :: logged[s] < store[s].acked || ev || store[s].heals ->
               store[s].heals = 1; store[s].seen = 0; phase[s] = healing
#endif
#ifdef SPURIOUS
            :: store[s].held & ~store[s].todo -> store[s].heals = 1; phase[s] = healing
#endif
#ifndef ENDS_WHEN_HEALING
            :: else ->
               if
               :: store[s].ended != 0 && store[s].acked == 0 ->
                  /* The log knows nothing of this incarnation: it may have lost that the others ended. */
                  offered[s] = EVENTS + 1; phase[s] = healing
               :: else -> enter(s)
               fi
#else
            :: else -> enter(s)
#endif
            fi;
            ev = 0
          }
       fi
     }

#ifndef WITHOUT_P10
  /* The log has more of this incarnation than this store, and nothing is left to append that would show it. */
  :: atomic { phase[s] == live && store[s].todo == 0 && logged[s] > store[s].top -> close(s); d_step { begin(s) } }
#endif

  /* Healing: what was acknowledged, in the order in which it was made (S6). */
  :: atomic { phase[s] == healing && empty(up[s]) && empty(down[s]) && !deaf[s] ->
       d_step {
         n = 0; j = INCARNATIONS;
#ifndef FORGET_ENDED
         /* An incarnation ends again when nothing of it is left to offer. */
         more = store[s].ended & ~asked[s];
#ifndef ENDS_FIRST
         for (e : 1 .. EVENTS) {
           if
           :: e > offered[s] && (store[s].held & ~store[s].todo & BIT(e)) -> more = more & ~BIT(INC(store[s].place[e]))
           :: else
           fi
         }
#endif
         for (k : 0 .. INCARNATIONS - 1) {
           if :: more & BIT(k) -> j = k :: else fi
         }
#endif
         for (e : 1 .. EVENTS) {
           if
           :: n == 0 && e > offered[s] && (store[s].held & ~store[s].todo & BIT(e)) &&
              (OFFER_ALL || INC(store[s].place[e]) != store[s].cur || SEQ(store[s].place[e]) > logged[s]) -> n = e
           :: else
           fi
         }
         if
         :: j < INCARNATIONS -> up[s]!recall(PLACE(j, 1), 0)
         :: j == INCARNATIONS && n != 0 -> up[s]!reoffer(store[s].place[n], n)
         :: j == INCARNATIONS && n == 0 && offered[s] <= EVENTS && logged[s] < store[s].acked ->
            offered[s] = EVENTS + 1; up[s]!lost(PLACE(store[s].cur, store[s].acked), 0)
         :: else ->
            offered[s] = 0; asked[s] = 0;
#ifndef WITHOUT_P10
            /* Whether an event has lost its place. */
            for (e : 1 .. EVENTS) {
              spot = store[s].place[e];
              if
              :: (store[s].todo & BIT(e)) && SEQ(spot) != 0 && !store[s].recalls &&
                 (INC(spot) != store[s].cur || SEQ(spot) <= store[s].acked) -> startRecalling(s)
              :: else
              fi
            }
#endif
            store[s].heals = 0;
#ifdef GOES_ON
            store[s].done = 0; store[s].redone = 0; store[s].reached = 0;
#endif
            enter(s)
         fi;
         n = 0; e = 0
       }
     }
  :: d_step { phase[s] == healing && nempty(down[s]) ->
       down[s]?heard, got, ev;
       printf("store %d hears %e %d %d\n", s, heard, got, ev);
       if
       :: heard == healed && ev != 0 -> offered[s] = ev; accept(s, ev)
#ifdef GOES_ON
          if
          :: store[s].heals -> store[s].done = ev;
             if
             :: INC(store[s].place[ev]) == store[s].cur && SEQ(store[s].place[ev]) > store[s].reached ->
                store[s].reached = SEQ(store[s].place[ev])
             :: else
             fi
          :: else
          fi
#endif
       :: heard == healed && ev == 0
       :: heard == displaced -> offered[s] = ev;
#ifdef GOES_ON
          if :: store[s].heals -> store[s].done = ev :: else fi;
#endif
          /* It has lost its place: it has no answer any more. */
          store[s].todo = store[s].todo | BIT(ev);
#ifdef WITHOUT_P10
          store[s].top++; store[s].place[ev] = PLACE(store[s].cur, store[s].top)
#endif
       :: heard == recalled -> asked[s] = asked[s] | BIT(ev);
#ifdef GOES_ON
          if
          :: store[s].heals ->
             store[s].redone = store[s].redone | BIT(ev);
             n = 0;
             for (k : 0 .. size - 1) {
               if :: where[k] == PLACE(ev, 0) && what[k] == 0 -> n = k + 1 :: else fi
             }
             if
             :: n == 0 -> store[s].seen = BROKEN
             :: n != 0 && store[s].seen < n -> store[s].seen = n
             :: else
             fi;
             n = 0; k = 0
          :: else
          fi
#endif
       :: heard == gap -> up[s]!lost(PLACE(INC(store[s].place[ev]), SEQ(store[s].place[ev]) - 1), 0)
       fi;
       got = 0; ev = 0; heard = 0
     }

  /* Recall: what of the unanswered events the log has after all, one incarnation after the other. Then the rest. */
  :: atomic { phase[s] == recalling && empty(up[s]) && empty(down[s]) && !deaf[s] ->
       d_step {
         j = INCARNATIONS;
         for (e : 1 .. EVENTS) {
           if
           :: (store[s].todo & BIT(e)) && SEQ(store[s].place[e]) != 0 && j == INCARNATIONS &&
              !(asked[s] & BIT(INC(store[s].place[e]))) -> j = INC(store[s].place[e])
           :: else
           fi
         }
         if :: j < INCARNATIONS -> up[s]!recall(PLACE(j, 1), 1) :: else -> differs = 1 fi;
         e = 0
       }
       if
       :: differs -> differs = 0; close(s); d_step { begin(s) }
       :: !differs
       fi
     }
  :: d_step { phase[s] == recalling && nempty(down[s]) ->
       down[s]?heard, got, ev;
       printf("store %d hears %e %d %d\n", s, heard, got, ev);
       for (j : 1 .. EVENTS) {
         if :: got & BIT(j) -> accept(s, j) :: else fi
       }
       asked[s] = asked[s] | BIT(ev);
       store[s].ended = store[s].ended | BIT(ev);
       got = 0; ev = 0; heard = 0
     }

  /* Appends, pipelined. */
  :: d_step { phase[s] == live && sent[s] < store[s].top && !deaf[s] && len(up[s]) + len(down[s]) < PIPELINED ->
       sent[s]++;
       n = 0;
       for (e : 1 .. EVENTS) {
         if
         :: (store[s].todo & BIT(e)) && store[s].place[e] == PLACE(store[s].cur, sent[s]) -> n = e
         :: else
         fi
       }
       assert(n != 0);
       up[s]!append(PLACE(store[s].cur, sent[s]), n);
       n = 0
     }
  :: atomic { phase[s] == live && nempty(down[s]) ->
       down[s]?heard, got, ev;
       printf("store %d hears %e %d %d\n", s, heard, got, ev);
       if
       :: heard == appended ->
          d_step { store[s].acked = SEQ(store[s].place[ev]); accept(s, ev); got = 0; ev = 0; heard = 0 }
       #ifdef WITHOUT_P10
       :: heard == conflict -> got = 0; ev = 0; heard = 0; close(s); d_step { begin(s) }
#else
       :: heard == conflict -> got = 0; ev = 0; heard = 0; close(s); d_step { startRecalling(s); e = 0 }
#endif
       :: heard == gap -> got = 0; ev = 0; heard = 0; close(s)
       fi
     }
  od
}

inline thaw() {
  do :: nempty(frozen) -> frozen?kind, place, event :: empty(frozen) -> break od;
  k = 0
}

/* Servers: every append is compared and swapped with the head of the log, so each step is one of them. */
active proctype Server() {
end:
  do
  :: d_step { nempty(up[0]) -> up[0]?kind, place, event; if :: !deaf[0] -> answerTo(0) :: deaf[0] fi }
  :: d_step { nempty(up[1]) -> up[1]?kind, place, event; if :: !deaf[1] -> answerTo(1) :: deaf[1] fi }
  :: d_step { nempty(frozen) ->
       frozen?kind, place, event;
       serve();
#ifndef WITHOUT_P3
       if :: answer == conflict -> thaw() :: answer != conflict fi;
#endif
       if :: empty(frozen) -> thaw() :: nempty(frozen) fi
     }
  :: d_step { nempty(frozen) -> thaw() }
  :: atomic { outdated[0] -> close(0) }
  :: atomic { outdated[1] -> close(1) }
  od
}

inline make(s) {
  made++;
  printf("store %d makes event %d\n", s, made);
  for (e : 1 .. EVENTS) {
    if :: store[s].place[e] != 0 -> before[made] = before[made] | BIT(e) :: else fi
  }
  store[s].held = store[s].held | BIT(made);
  store[s].todo = store[s].todo | BIT(made);
  if
  :: store[s].recalls -> store[s].place[made] = PLACE(store[s].cur, 0)
  :: else -> store[s].top++; store[s].place[made] = PLACE(store[s].cur, store[s].top)
  fi
}

/* Backups that nobody will restore any more are all alike. */
inline forget() {
  if
  :: restores == 0 ->
     taken = 0;
     for (j : BACKUP .. BACKUP + 1) {
       store[j].cur = 0; store[j].acked = 0; store[j].top = 0; store[j].todo = 0; store[j].held = 0;
       store[j].recalls = 0; store[j].ended = 0; store[j].seen = 0; store[j].heals = 0;
#ifdef GOES_ON
       store[j].done = 0; store[j].redone = 0; store[j].reached = 0;
#endif
       for (e : 1 .. EVENTS) { store[j].place[e] = 0 }
     }
  :: else
  fi
}

/* What no rule can forbid. */
active proctype World() {
  d_step { lives[0] = 1; }
  run Session(0);
  run Session(1);
end:
  do
  :: d_step { !calm && made < EVENTS -> make(0) }
  :: d_step { !calm && made < EVENTS && lives[1] -> make(1) }
  :: d_step { restores > 0 && taken < BACKUPS -> printf("backup %d\n", taken); copy(DEVICE, BACKUP + taken); taken++ }
  :: atomic { restores > 0 && taken > 0 ->
       restores--; printf("the device is restored from backup 0\n");
       close(0);
       d_step { copy(BACKUP, DEVICE); forget(); k = 0 }
     }
  :: atomic { restores > 0 && taken > 1 ->
       restores--; printf("the device is restored from backup 1\n");
       close(0);
       d_step { copy(BACKUP + 1, DEVICE); forget(); k = 0 }
     }
  :: d_step { clones > 0 -> clones--; copy(DEVICE, CLONE); lives[1] = 1; printf("a clone\n") }
  :: atomic { cuts > 0 && phase[0] != closed -> cuts--; close(0) }
  :: atomic { cuts > 0 && phase[1] != closed -> cuts--; close(1) }
  :: atomic { losses > 0 && size > 0 -> losses--;
       do
       :: size > 0 ->
          d_step {
            size--;
            if
            :: SEQ(where[size]) != 0 && what[size] < LOST -> gone = gone | BIT(what[size] & 7)
            :: else
            fi;
            where[size] = 0; what[size] = 0
          }
       :: break
       od;
       d_step {
         for (k : 0 .. 3) {
           if :: store[k].seen > size -> store[k].seen = BROKEN :: else fi
         }
         printf("the log loses all past %d\n", size);
         outdated[0] = phase[0] != closed;
         outdated[1] = phase[1] != closed;
#ifndef LATE_FRAMES
         /* A server that finds another history drops its sessions with all that waits, before it appends anything. */
         thaw();
         do :: nempty(up[0]) -> up[0]?kind, place, event :: empty(up[0]) -> break od;
         do :: nempty(up[1]) -> up[1]?kind, place, event :: empty(up[1]) -> break od;
         deaf[0] = outdated[0]; deaf[1] = outdated[1];
#endif
         k = 0
       }
     }
  :: d_step { endings > 0 ->
       /* One incarnation too many is open: the server ends the one that was used longest ago. */
       endings--; fold(0);
       if :: !shut -> put(PLACE(0, 0), 0) :: else fi;
       k = 0
     }
  :: d_step { trims > 0 ->
       /* The store forgets its oldest acknowledged event. */
       trims--; n = 0;
       for (e : 1 .. EVENTS) {
         if
         :: n == 0 && (store[0].held & ~store[0].todo & BIT(e)) -> n = e; store[0].held = store[0].held & ~BIT(e)
         :: else
         fi
       }
       e = 0
     }
  :: d_step { !calm ->
       calm = 1; restores = 0; clones = 0; cuts = 0; losses = 0; trims = 0; endings = 0; forget(); k = 0
     }
  od
}

#ifdef CHECK_SETTLED
/* When nothing can happen any more, everything has its answer, and what a device holds as acknowledged is there. */
active proctype Verdict() {
  timeout ->
  d_step {
    for (j : 0 .. 1) {
      assert(!lives[j] || (phase[j] == live && store[j].todo == 0 && !store[j].recalls && !store[j].heals));
      for (e : 1 .. EVENTS) {
        if
        :: lives[j] && (store[j].held & BIT(e)) -> spot = store[j].place[e]; find(spot); assert(found == e)
        :: else
        fi
      }
    }
    k = 0
  }
}
#endif
