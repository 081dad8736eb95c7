import { afterEach, describe, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { shadowDecision } from "#server/db/schema/shadow.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { systemContext } from "#server/services/core/context.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { getShadow } from "./get.ts";
import { startShadow } from "./start.ts";
import { stopShadow } from "./stop.ts";

const START_MS = Date.UTC(2026, 10, 2, 8);
let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

describe("a draft run as a shadow of the published policy", () => {
	it("records agreement and differences, has no effect, and ends when stopped", async () => {
		const w = await World.open({ slots: 1, runMs: 60_000, cloud: { offers: [fakeOffer({ priceObservedAtMs: START_MS })] } });
		world = w;
		const ctx = systemContext(w.database.db, w.clock, "seed");
		const { source } = await activePolicy(w.database.db);
		// The draft keeps jobs at home unless they would wait for four hours.
		const { id } = await startShadow(ctx, { source: source.replace("forecastWait: 10s", "forecastWait: 4h") });
		await expect(startShadow(ctx, { source })).rejects.toMatchObject({ code: "conflict" });
		await w.submit({ name: "first", estimate: "1m" });
		await w.tick();
		await w.submit({ name: "second", estimate: "1m" });
		await w.until(async () => (await getShadow(ctx, {}))?.differences.length === 1);
		const view = await getShadow(ctx, {});
		expect(view).toMatchObject({ id, baseVersion: 1, stoppedAt: null, decided: 2, agreed: 1, draftMicroUsd: "0" });
		expect(BigInt(view?.publishedMicroUsd ?? "0")).toBeGreaterThan(0n);
		expect(view?.differences[0]).toMatchObject({
			name: "second",
			published: { outcome: "cloud" },
			draft: { outcome: "waits", costMicroUsd: "0" },
		});
		expect(view?.differences[0]?.draft.sentence).toMatch(/^Waiting/);

		await stopShadow(ctx, id);
		await expect(stopShadow(ctx, id)).rejects.toMatchObject({ code: "not_found" });
		for (let i = 0; i < 3; i++) await w.tick();
		await w.submit({ name: "third", estimate: "1m" });
		await w.until(() => w.quiet());
		expect(await w.database.db.$count(shadowDecision)).toBe(2);
		expect((await w.attempts()).map((a) => a.siteId).sort()).toEqual(["aws", "aws", "home"].sort());
	});
});
