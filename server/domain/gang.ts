import type { Exit } from "./outcome.ts";
import { type Reason, type ReasonCode, reason } from "./reasons.ts";
import type { InstanceState } from "./states.ts";

/** One machine of an attempt, with what the attempt's end depends on. */
export interface Member {
	rank: number;
	state: InstanceState;
	/** How its command ended; null when not reported (still running, or its machine no longer exists). */
	exit: Exit | null;
	/** Why its machine ended. */
	reason: Reason | null;
}

/** A reason from a machine includes its rank, to distinguish its end from the others'. */
export function ofMember(why: Reason, rank: number, nodes: number): Reason {
	return nodes > 1 ? reason(why.code, { ...why.facts, rank, nodes }) : why;
}

/** Why the rest of a gang must stop because one member ended; null when that member succeeded. */
export function gangStopReason({ rank, exit, reason: why }: Member, nodes: number, fallback: Reason | null): Reason | null {
	if (exit === null) return ofMember(why ?? fallback ?? reason("instance_vanished"), rank, nodes);
	if (exit.error !== null) return reason("gang_member_failed", { rank, nodes, message: exit.error.slice(0, 500) });
	if (exit.outOfMemory) return reason("gang_member_failed", { rank, nodes, outOfMemory: true });
	if (exit.signal !== null) return reason("gang_member_failed", { rank, nodes, signal: exit.signal });
	return exit.code === 0 ? null : reason("gang_member_failed", { rank, nodes, exitCode: exit.code });
}

/** Ends that are not the command's fault. */
const TAKEN: ReadonlySet<ReasonCode> = new Set(["spot_interruption", "instance_vanished", "agent_silent"]);

/**
 * How an attempt ends once all its machines have ended: with the exit of the member that ended it, else of rank 0. When a machine
 * disappeared, the others' commands failed because their peer was lost, even if they reported first: then the machine's end is the
 * reason, and the job is retried.
 */
export function gangEnd(members: readonly Member[], stopReason: Reason | null): { exit: Exit | null; because?: Reason } {
	const culprit = members.find(({ rank }) => rank === stopReason?.facts["rank"]) ?? members[0];
	const exit = culprit?.exit ?? null;
	if (stopReason?.code !== "gang_member_failed") return { exit };
	const taken = members.find((m) => m.exit === null && m.reason !== null && TAKEN.has(m.reason.code));
	return taken?.reason ? { exit, because: ofMember(taken.reason, taken.rank, members.length) } : { exit };
}

/** Why a machine of a gang ended when its attempt was asked to stop. Another machine's end is not its own reason. */
export function memberEnd(stopReason: Reason, rank: number, nodes: number): Reason {
	const other = stopReason.facts["rank"];
	if (nodes === 1 || typeof other !== "number" || other === rank) return stopReason;
	return reason("gang_member_failed", { rank: other, nodes, cause: stopReason.code });
}
