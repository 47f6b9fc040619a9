/*
 * One lane, several processes: who delivers, what a kill, a reset or a denial leaves, and what the server sees.
 *
 * The disk is one database: each of its transactions is one step here. Everything else of a process is memory, and a
 * kill takes it at any step. Each process has three threads: Caller (track, reset, denial), Writer (commits what the
 * engine has staged) and Engine (the delivery loop). Docs/Delivery.md, "The model", says where the code follows it.
 *
 * make model runs it, and then each fault below, of which each must be found:
 *   NO_RETRY        who finds the lane taken does not try again
 *   KEEP_LOCK       a process that cannot reach the server keeps the lane (with BROKEN)
 *   EARLY_RELEASE   the lock is released before the deliveries are recorded
 *   STALE_PLAN      what was read once is sent without a look at the lane
 *   TAKE_FIRST      records leave the queue before they are sent
 *   LATE_BIND       a session is given to the generation that is current when its answer arrives
 *   UNLOCKED_LOOK   a session is made by a look at the lane from before the lock
 *   NO_EXTENT       the extent of a batch is not written before the batch goes out
 *   NO_DATABASE_ID  deliveries are recorded by number alone, in whichever database is there
 *   DEPART_PAUSED   a plan departs although its process has begun a reset or a denial
 */

#ifndef P
#define P 2             /* processes; the last is never killed */
#endif
#ifndef N
#define N 3             /* records that are tracked at most */
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef FAILURES
#define FAILURES 1      /* requests that fail: received or not, the answer is lost */
#endif
#ifndef RESETS
#define RESETS 1
#endif
#ifndef DENIALS
#define DENIALS 1
#endif
#ifndef REPLACED
#define REPLACED 0      /* how often the folder is removed and made anew under running processes */
#endif

/* BROKEN: process 0 never reaches the server, and P is 2. Waits between its tries grow past the half second after which
   the other process tries the lane again: it does not get a second turn in a row while the other one waits for one. */
#ifdef BROKEN
#define REACHES(p) ((p) != 0)
#define MAY_TRY(p) ((p) != 0 || !had_turn || !interested[1])
#else
#define REACHES(p) true
#define MAY_TRY(p) true
#endif

#define SURVIVOR (P - 1)
#define NONE P
#define GENERATIONS (RESETS + DENIALS + 1)
#define bit(r) (1 << (r))
#define has(mask, r) (((mask) >> (r)) & 1)

/* ---- The disk. A record is its number, counted from 0; a set of records is a mask. */
byte tracked = 0;                  /* how many records were accepted */
byte queued = 0;
byte generation = 0;
bool granted = true;
byte generation_of[N];
byte session[GENERATIONS];         /* 0: none; else 1 + the generation that it was made for */
#ifdef BATCH
byte extent[N];                    /* the batch that a record was fixed in; 0: none */
#endif
byte database = 0;                 /* the database's id */
byte base = 0;                     /* how many records were in the databases before: numbers begin anew */
byte lock = NONE;                  /* the delivery lock; ends with its process */

/* ---- The memory of each process */
mtype = { LOOK, SAW, FRONT, FIX, PLANNED, CHECKED, WAITING, MADE, GIVEN_UP, AGAIN, DEAD }
mtype engine[P] = LOOK;
byte request[P];                   /* the records of the request that is planned or under way; 0: a session */
byte planned_for[P];               /* the generation of the session to be made */
byte delivered[P];                 /* answered by 2xx, not on disk yet */
byte delivered_in[P];              /* the database that they are of */
byte request_in[P];                /* and the one that the request was read from */
bool interested[P] = true;         /* every start looks at the lane */
bool paused[P];
bool had_turn = false;              /* BROKEN: process 0 has failed since the other one last tried */
bool wants_bind[P];                /* a session was made and is not on disk yet */
mtype = { FREE, COMMITTED, PAUSED, CHANGED, GONE }
mtype caller[P] = FREE;
bool denies[P];                    /* what the paused caller wants: a denial, or a reset */

/* ---- The server, and what is only watched */
byte received = 0;
byte key_of[N];                    /* the key under which a record was first received */
byte dropped = 0;
byte dropped_by[P];
byte removed = 0;                  /* left the queue as delivered */
byte mine = 0;                     /* records of the process that is never killed */
byte sent = 0;
byte may_repeat = 0;               /* records that a fault allows to be sent again */
byte made = 0;                     /* sessions, by generation */
byte may_remake = 0;
byte kills = KILLS;
byte failures = FAILURES;
byte resets = RESETS;
byte denials = DENIALS;
byte replaced = REPLACED;
byte lost = 0;

/* The account, after every transaction: each accepted record waits, or has left and is counted once. */
#define check_account() assert(((1 << tracked) - 1) == (queued | removed | dropped | lost) && \
    (queued & (removed | dropped | lost)) == 0 && (removed & dropped) == 0)

/* A request reaches the server. */
inline receive(mask, key) {
    d_step {
        k = 0;
        do
        :: k < N ->
            if
            :: has(mask, k) ->
                /* In order: everything before it has arrived, or was dropped. */
                assert((((bit(k) - 1) & ~(received | dropped | lost | mask)) == 0));
                if
                :: !has(received, k) -> received = received | bit(k);
#ifdef BATCH
                    key_of[k] = key
#endif
#ifdef BATCH
                :: else -> assert(key_of[k] == key)
#else
                :: else
#endif
                fi
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0
    }
}

/* What a process has delivered, as the database sees it that is there now. */
#ifdef NO_DATABASE_ID
#define settled(p) (delivered_in[p] == database -> delivered[p] : (delivered[p] << base))
#else
#define settled(p) (delivered_in[p] == database -> delivered[p] : 0)
#endif

inline drop(p, mask) {
    dropped = dropped | mask; dropped_by[p] = dropped_by[p] | mask; queued = queued & ~mask
}

/* A transaction of a reset or a denial. */
inline change(p) {
    if
    :: denies[p] ->
        drop(p, queued); granted = false
    :: else ->
#ifdef BATCH
        drop(p, queued);
#else
        /* A record without a session belongs to nobody once its user has left. */
        k = 0;
        do
        :: k < N ->
            if
            :: has(queued, k) && generation_of[k] == generation && session[generation] == 0 ->
                drop(p, bit(k))
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0;
#endif
    fi;
    generation++;
    check_account()
}

/* The transaction of what a process has delivered. */
inline record_delivered(p) {
    assert((settled(p) & queued & ~received) == 0);     /* a record leaves only after its own 2xx */
    removed = removed | (queued & settled(p));
    queued = queued & ~settled(p);
    delivered[p] = 0; delivered_in[p] = 0;
    check_account()
}

/* Has the engine look at the lane; requests to look coalesce. */
inline look(p) {
    interested[p] = true;
    if :: engine[p] == AGAIN -> engine[p] = LOOK :: else fi
}

proctype Caller(byte p) {
    byte k = 0;
end: do
    :: d_step { caller[p] == FREE && tracked < N && granted ->
        /* `queued` is answered from here on. */
        queued = queued | bit(tracked);
        generation_of[tracked] = generation;
        if :: p == SURVIVOR -> mine = mine | bit(tracked) :: else fi;
        tracked++;
        check_account();
        caller[p] = COMMITTED }
    :: d_step { caller[p] == COMMITTED -> look(p); caller[p] = FREE }
#ifndef BATCH
    :: d_step { caller[p] == FREE && denials > 0 && granted ->
        denials--; denies[p] = true; paused[p] = true; caller[p] = PAUSED }
#endif
    :: d_step { caller[p] == FREE && resets > 0 && granted ->
        resets--; denies[p] = false; paused[p] = true; caller[p] = PAUSED }
    :: d_step { caller[p] == PAUSED ->
        /* Deliveries before it are written first, so that they count as delivered. */
        record_delivered(p);
        if :: denies[p] || granted -> change(p) :: else fi;
        caller[p] = CHANGED }
    :: d_step { caller[p] == CHANGED -> paused[p] = false; denies[p] = false; look(p); caller[p] = FREE }
    od
}

proctype Writer(byte p) {
end: do
    :: d_step { delivered[p] != 0 -> record_delivered(p) }
    :: d_step { wants_bind[p] && delivered[p] == 0 ->
#ifdef LATE_BIND
        session[generation] = planned_for[p] + 1;
#else
        if :: session[planned_for[p]] == 0 -> session[planned_for[p]] = planned_for[p] + 1 :: else fi;
#endif
        wants_bind[p] = false }
    od
}

#ifdef EARLY_RELEASE
#define IS_LANE_FREE(p) true
#else
#define IS_LANE_FREE(p) (delivered[p] == 0)
#endif

/* What the engine of `p` may send of what it reads: without what is staged as delivered. */
#define visible(p) (queued & ~settled(p))
#define first(mask) ((mask) & (~(mask) + 1))
#define index(mask) (((mask) & 1) -> 0 : (((mask) & 2) -> 1 : (((mask) & 4) -> 2 : 3)))

proctype Engine(byte p) {
    byte k = 0;
end: do
    /* Take the lane, or wait for whom has it as long as there is something in it. */
    :: d_step { engine[p] == LOOK && interested[p] && !paused[p] && MAY_TRY(p) ->
        if :: p != 0 && lock != 0 -> had_turn = false :: else fi;
        if
#ifdef UNLOCKED_LOOK
        :: granted && session[generation] == 0 -> planned_for[p] = generation; engine[p] = SAW
#endif
        :: lock == NONE || lock == p ->
            lock = p; engine[p] = FRONT
        :: else ->
#ifdef NO_RETRY
            interested[p] = false
#else
            if :: queued == 0 -> interested[p] = false :: else fi
#endif
        fi }

    :: d_step { engine[p] == SAW && lock == NONE && !paused[p] -> lock = p; engine[p] = PLANNED }

    /* Read the front and the lane in one transaction, and plan. */
    :: d_step { engine[p] == FRONT && !paused[p] ->
        if
        :: visible(p) == 0 || !granted -> engine[p] = GIVEN_UP
#ifdef BATCH
        :: else ->
            request[p] = extent[index(first(visible(p)))];
            if
            :: request[p] != 0 && (request[p] & visible(p)) == request[p] -> engine[p] = PLANNED
            :: else -> request[p] = 0; engine[p] = FIX
            fi
#else
        :: else ->
            if
            :: session[generation] == 0 ->
                /* The current session comes before anything else. */
                request[p] = 0; planned_for[p] = generation; engine[p] = PLANNED
            :: else ->
                request[p] = first(visible(p));
                assert(session[generation_of[index(request[p])]] != 0);
                engine[p] = PLANNED
            fi
#endif
        fi }

    /* Fix a batch: its extent is on disk before it goes out. */
    :: d_step { engine[p] == FIX && !paused[p] ->
        if
        :: visible(p) == 0 -> engine[p] = FRONT
        :: else ->
            request[p] = first(visible(p));
#if defined(BATCH) && !defined(NO_EXTENT)
            k = index(first(visible(p) & ~request[p]));
            if
            :: visible(p) != request[p] && extent[k] == 0 ->
                request[p] = request[p] | bit(k);
                extent[k] = request[p]
            :: else
            fi;
            extent[index(first(request[p]))] = request[p];
            k = 0;
#else
            if
            :: visible(p) != request[p] -> request[p] = request[p] | first(visible(p) & ~request[p])
            :: else
            fi;
#endif
            engine[p] = PLANNED
        fi }

    /* A plan departs if the lane is still as it was read, and no reset or denial has begun in its own process since. */
    :: d_step { engine[p] == PLANNED ->
        if
#ifndef STALE_PLAN
        :: !granted || (request[p] != 0 && (request[p] & visible(p)) != request[p]) ||
            (request[p] == 0 && planned_for[p] != generation) ->
            request[p] = 0; planned_for[p] = 0; engine[p] = FRONT
#endif
        :: else ->
            assert((request[p] & dropped) == 0);            /* nothing of a user who has left, or refused */
            request_in[p] = database;
            engine[p] = CHECKED
        fi }
    :: d_step { engine[p] == CHECKED ->
        if
#ifndef DEPART_PAUSED
        :: paused[p] || (request[p] & dropped_by[p]) != 0 -> request[p] = 0; planned_for[p] = 0; engine[p] = FRONT
#endif
        :: else ->
            assert(lock == p);
            assert((request[p] & dropped_by[p]) == 0);
            if
            :: request[p] != 0 ->
                assert((request[p] & sent & ~may_repeat) == 0);             /* not twice without a fault */
                sent = sent | request[p];
#ifndef BATCH
                /* The session of its own user. */
                assert(session[generation_of[index(request[p])]] == generation_of[index(request[p])] + 1);
#endif
#ifdef TAKE_FIRST
                queued = queued & ~request[p];
#endif
            :: else ->
                assert(!has(made & ~may_remake, planned_for[p]));           /* one session a generation */
                made = made | bit(planned_for[p])
            fi;
            engine[p] = WAITING
        fi }

    /* 2xx */
    :: atomic { engine[p] == WAITING && !paused[p] && REACHES(p) ->
        if
        :: request[p] != 0 ->
            receive(request[p], request[p]);
            /* Deliveries of another database are void; they have been staged for it. */
            if
            :: delivered[p] == 0 -> delivered[p] = request[p]; delivered_in[p] = request_in[p]
            :: delivered[p] != 0 && delivered_in[p] == request_in[p] -> delivered[p] = delivered[p] | request[p]
            :: else -> may_repeat = may_repeat | request[p]
            fi;
            request[p] = 0; request_in[p] = 0;
            engine[p] = FRONT
        :: else -> wants_bind[p] = true; engine[p] = MADE
        fi }
    /* An answer is lost: the request was received or not. The lane waits, and others may have it meanwhile. */
    :: atomic { engine[p] == WAITING && failures > 0 ->
        failures--;
        if
        :: request[p] != 0 ->
            if :: receive(request[p], request[p]) :: true fi;
            may_repeat = may_repeat | request[p]
        :: else -> may_remake = may_remake | bit(planned_for[p])
        fi;
        request[p] = 0; planned_for[p] = 0;
        engine[p] = GIVEN_UP }
#ifdef BROKEN
    :: d_step { engine[p] == WAITING && !REACHES(p) && !paused[p] ->
        may_repeat = may_repeat | request[p];
        if :: request[p] == 0 -> may_remake = may_remake | bit(planned_for[p]) :: else fi;
        had_turn = true;
#ifdef KEEP_LOCK
        engine[p] = FRONT
#else
        engine[p] = GIVEN_UP
#endif
    }
#endif
    /* A reset or a denial cancels it. */
    :: atomic { engine[p] == WAITING && paused[p] ->
        if
        :: request[p] != 0 ->
            if :: receive(request[p], request[p]) :: true fi;
            may_repeat = may_repeat | request[p]
        :: else -> may_remake = may_remake | bit(planned_for[p])
        fi;
        request[p] = 0; planned_for[p] = 0;
        engine[p] = FRONT }
    /* Nothing is sent before the session is on disk. */
    :: d_step { engine[p] == MADE && !wants_bind[p] -> planned_for[p] = 0; engine[p] = FRONT }

    /* The lane is left once others find on disk what was done; then it is looked at once more. */
    :: d_step { engine[p] == GIVEN_UP && IS_LANE_FREE(p) -> lock = NONE; engine[p] = AGAIN }
    :: d_step { engine[p] == AGAIN ->
        interested[p] = (visible(p) != 0 && granted);
        engine[p] = LOOK }
    od
}

/* Kills, the network's own delays, and a folder that is removed and made anew. */
active proctype Chaos() {
    byte k = 0;
    byte p = 0;
end: do
    :: atomic { kills > 0 ->
        select(p : 0 .. (P - 1));
        if
        :: p != SURVIVOR ->
            kills--;
            may_repeat = may_repeat | delivered[p];
            if
            :: engine[p] == WAITING && request[p] != 0 ->
                may_repeat = may_repeat | request[p];
                if
                :: receive(request[p], request[p])
                :: true
                fi
            :: engine[p] == WAITING && request[p] == 0 -> may_remake = may_remake | bit(planned_for[p])
            :: else -> if :: wants_bind[p] -> may_remake = may_remake | bit(planned_for[p]) :: else fi
            fi;
            if :: lock == p -> lock = NONE :: else fi;
            /* It starts again, or never does. */
            if
            :: engine[p] = LOOK; caller[p] = FREE; interested[p] = true
            :: engine[p] = DEAD; caller[p] = GONE; interested[p] = false
            fi;
            request[p] = 0; planned_for[p] = 0; request_in[p] = 0; delivered[p] = 0; delivered_in[p] = 0; denies[p] = false; interested[p] = true; 
            paused[p] = false; wants_bind[p] = false; caller[p] = FREE
        :: else
        fi }
    :: d_step { replaced > 0 && tracked < N ->
        replaced--; database++; base = tracked;
        lost = lost | queued;
        queued = 0 }
    od
}

init {
    byte p = 0;
    atomic {
        do
        :: p < P -> run Caller(p); run Writer(p); run Engine(p); p++
        :: else -> break
        od
    }
}

/* What the process that lives has tracked arrives or is dropped. */
#define waits ((mine & queued) != 0)

ltl delivers { [] (waits -> <> !waits) }
