import { afterEach, expect, it } from "vitest";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(() => world?.database.drop());

it.each(["transient", "throttled", "unauthorized"] as const)("hands an attempt over again when the site answered %s", async (kind) => {
	const w = await World.open({ slots: 1 });
	world = w;
	w.cluster.calls.fail("start", kind, { times: 2 });
	await w.submit({ name: "a" });
	await w.until(() => w.quiet());
	expect(w.cluster.calls.recorded.filter((c) => c.method === "start").map((c) => c.outcome)).toEqual([kind, kind, "ok"]);
	expect((await w.attempts()).map((a) => [a.state, a.reason?.code])).toEqual([["succeeded", "completed"]]);
});

it("fails an attempt that the site will never take, with the site's words", async () => {
	const w = await World.open({ slots: 1 });
	world = w;
	w.cluster.calls.fail("start", "invalid_request");
	await w.submit({ name: "a" });
	await w.until(() => w.quiet());
	expect((await w.attempts()).map((a) => [a.state, a.reason])).toMatchObject([
		["failed", { code: "command_not_started", facts: { message: "scripted: start fails with invalid_request" } }],
	]);
});
