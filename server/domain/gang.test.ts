import { describe, expect, it } from "vitest";
import { gangEnd, gangStopReason, type Member, memberEnd } from "./gang.ts";
import { reason } from "./reasons.ts";

const ran = (rank: number, code: number): Member => ({ rank, state: "ready", exit: { code, signal: null, error: null }, reason: null });
const gone = (rank: number, why: Member["reason"]): Member => ({ rank, state: "terminated", exit: null, reason: why });
const failed = reason("gang_member_failed", { rank: 1, nodes: 3, exitCode: 5 });

describe("gangStopReason", () => {
	it("does not end the others when a command succeeds", () => {
		expect(gangStopReason(ran(1, 0), 3, null)).toBeNull();
	});
	it.each([
		[ran(1, 5), failed],
		[
			{ ...ran(1, 0), exit: { code: null, signal: "SIGSEGV", error: null } },
			reason("gang_member_failed", { rank: 1, nodes: 3, signal: "SIGSEGV" }),
		],
		[
			{ ...ran(1, 0), exit: { code: null, signal: null, error: "no disk" } },
			reason("gang_member_failed", { rank: 1, nodes: 3, message: "no disk" }),
		],
		[gone(1, reason("launch_refused_quota", { offerId: "o" })), reason("launch_refused_quota", { offerId: "o", rank: 1, nodes: 3 })],
		[gone(1, null), reason("instance_vanished", { rank: 1, nodes: 3 })],
	] as const)("names the rank that ended", (member, why) => {
		expect(gangStopReason(member, 3, null)).toEqual(why);
	});
});

describe("gangEnd", () => {
	it("uses the exit of the member that ended it, or of rank 0 when none did", () => {
		expect(gangEnd([ran(0, 143), ran(1, 5), ran(2, 143)], failed)).toEqual({ exit: ran(1, 5).exit });
		expect(gangEnd([ran(0, 0), ran(1, 0)], null)).toEqual({ exit: ran(0, 0).exit });
	});
	it("is the end of a machine that disappeared, even when its peers reported failures first", () => {
		const end = gangEnd([gone(0, reason("instance_vanished")), ran(1, 5), ran(2, 5)], failed);
		expect(end.because).toEqual(reason("instance_vanished", { rank: 0, nodes: 3 }));
		// We ended this one ourselves, so it was not reclaimed.
		expect(gangEnd([gone(0, memberEnd(failed, 0, 3)), ran(1, 5), ran(2, 5)], failed).because).toBeUndefined();
	});
});

describe("memberEnd", () => {
	it("distinguishes a machine's own end from another machine's", () => {
		const taken = reason("spot_interruption", { rank: 2, nodes: 3 });
		expect(memberEnd(taken, 2, 3)).toBe(taken);
		expect(memberEnd(taken, 0, 3)).toEqual(reason("gang_member_failed", { rank: 2, nodes: 3, cause: "spot_interruption" }));
		expect(memberEnd(reason("cancelled_by_person"), 0, 3).code).toBe("cancelled_by_person");
		expect(memberEnd(reason("spot_interruption"), 0, 1).code).toBe("spot_interruption");
	});
});
