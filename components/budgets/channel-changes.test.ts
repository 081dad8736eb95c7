import { describe, expect, it } from "vitest";
import { changesOf, draftOf } from "./channel-changes.ts";
import type { Channel } from "./params.ts";

const channel = (more: Partial<Channel> = {}): Channel => ({
	...{ id: "chan_1", name: "Finance", kind: "email", target: "cfo@example.test, books@example.test", problem: null },
	...{ topics: ["statement", "money_at_risk"], team: null, pipeline: null, enabled: true, createdAt: "2026-11-01T00:00:00Z" },
	...{ digest: "immediate", ...more },
});

describe("changesOf", () => {
	it("reports no changes when nothing was edited, whatever the spacing and order", () => {
		for (const kind of ["email", "slack", "webhook"] as const) {
			const c = channel({ kind, ...(kind === "email" ? {} : { target: "hooks.example.test" }) });
			expect(changesOf(c, draftOf(c))).toBeNull();
		}
		expect(changesOf(channel(), { ...draftOf(channel()), name: " Finance ", topics: ["money_at_risk", "statement"] })).toBeNull();
		expect(changesOf(channel(), { ...draftOf(channel()), target: "cfo@example.test;books@example.test" })).toBeNull();
	});

	it("reports only edited fields", () => {
		expect(changesOf(channel(), { ...draftOf(channel()), team: "risk" })).toEqual({ id: "chan_1", team: "risk" });
		expect(changesOf(channel(), { ...draftOf(channel()), digest: "daily" })).toEqual({ id: "chan_1", digest: "daily" });
		expect(changesOf(channel({ team: "risk" }), { ...draftOf(channel()), team: " " })).toEqual({ id: "chan_1", team: null });
		expect(changesOf(channel(), { ...draftOf(channel()), target: "cfo@example.test", topics: ["statement"] })).toEqual({
			...{ id: "chan_1", recipients: ["cfo@example.test"], topics: ["statement"] },
		});
	});

	it("never contains a stored webhook URL, and sends a new one", () => {
		const hook = channel({ kind: "webhook", target: "hooks.example.test" });
		expect(draftOf(hook).target).toBe("");
		expect(changesOf(hook, { ...draftOf(hook), target: "https://hooks.example.test/new" })).toEqual({
			...{ id: "chan_1", url: "https://hooks.example.test/new" },
		});
		expect(changesOf(hook, { ...draftOf(hook), signingKey: "0123456789abcdef" })).toEqual({ id: "chan_1", signingKey: "0123456789abcdef" });
	});
});
