import { afterAll, beforeAll, expect, it } from "vitest";
import { jobSecret } from "#server/db/schema/job-secret.ts";
import { store } from "#server/db/schema/store.ts";
import { template } from "#server/db/schema/template.ts";
import { openConnections } from "#server/db/testing/open-connections.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { systemContext } from "#server/services/core/context.ts";
import { changeBudgetSettings, readBudgetSettings } from "#server/services/ledger/budget/settings.ts";
import { type CallOptions, RestWorld } from "../testing/rest-world.ts";

/**
 * Two people change or remove the same thing concurrently: each request is applied or rejected. The database must roll
 * none back because of a deadlock, or a row that another request removed after the check, since the server would log
 * it as a failure.
 */

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
	const row = { team: "research", sealedSecret: null, isDefault: false, createdAt: new Date() };
	const config = { kind: "s3" as const, provider: "AWS" as const, bucket: "models", prefix: "", region: "eu-west-1" };
	await world.database.db.insert(store).values(["a", "b"].map((name) => ({ ...row, id: `sto_${name}`, name, config })));
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown, options?: CallOptions) =>
	world.call(method, `/api/v1${path}`, { ...options, ...(body !== undefined && { body }) });

async function together(...requests: (() => ReturnType<typeof call>)[]): Promise<number[]> {
	const replies = await Promise.all(requests.map((send) => send()));
	expect(world.failures).toEqual([]);
	return replies.map(({ status }) => status);
}

it("imports files with the same days in opposite order one after the other", async () => {
	const days = Array.from({ length: 4_000 }, (_, day) => new Date(Date.UTC(2000, 0, 1) + day * DAY_MS).toISOString().slice(0, 10));
	const file = (dates: string[], rate: string) => ["date,currency,rate", ...dates.map((date) => `${date},EUR,${rate}`)].join("\n");
	const put = (text: string) => () => call("PUT", "/exchange-rates", { text, message: "treasury" });
	expect(await together(put(file(days, "0.91")), put(file(days.toReversed(), "0.92")))).toEqual([201, 201]);
	const { json } = await world.get("/exchange-rates?currency=EUR&limit=1000");
	expect(new Set(json.items.map(({ rate }: { rate: string }) => rate)).size).toBe(1);
});

it("makes only the last of two stores the default", async () => {
	const makeDefault = (id: string) => () => call("PUT", `/stores/${id}`, { isDefault: true });
	for (let round = 0; round < 4; round++) {
		const statuses = await together(...["sto_a", "sto_b", "sto_a", "sto_b"].map(makeDefault));
		expect(statuses).toEqual([200, 200, 200, 200]);
	}
	const rows = await world.database.db.select({ isDefault: store.isDefault }).from(store);
	expect(rows.filter(({ isDefault }) => isDefault)).toHaveLength(1);
});

it("rejects a change of the default store that does not say which", async () => {
	for (const body of [{}, { isDefault: "yes" }]) expect(await call("PUT", "/stores/sto_a", body)).toMatchObject({ status: 400 });
	expect(world.failures).toEqual([]);
});

it("rejects references to a team that is being deleted", async () => {
	const { json: view } = await world.post("/views", { name: "mine", query: "" });
	for (let round = 0; round < 3; round++) {
		await world.post("/teams", { name: "short-lived" });
		const statuses = await together(
			() => call("DELETE", "/teams/short-lived"),
			() => call("PATCH", `/views/${view.id}`, { team: "short-lived" }),
			() => call("POST", "/views", { name: `new ${round}`, query: "", team: "short-lived" }),
			() => call("PUT", "/group-mappings", { group: "ml", team: "short-lived" }),
			() => call("PUT", "/storage-limits", { team: "short-lived", quotaGiB: 1, keepDays: null }),
			() => call("DELETE", "/teams/short-lived"),
		);
		for (const status of statuses) expect([200, 201, 400, 404]).toContain(status);
	}
});

it("keeps both changes of one setting, and records each with the previous value", async () => {
	const ctx = systemContext(world.database.db, { nowMs: () => world.nowMs() }, "seed");
	for (const percent of [81, 82, 83]) {
		await Promise.all([
			changeBudgetSettings(ctx, { thresholdsPercent: [percent] }),
			changeBudgetSettings(ctx, { anomalyFloorUsd: String(percent) }),
		]);
		expect(await readBudgetSettings(ctx.db)).toMatchObject({ thresholdsPercent: [percent], anomalyFloorUsd: String(percent) });
	}
	const change = (currency: string) => () => call("PUT", "/reporting-currency", { currency });
	await together(...["EUR", "USD", "EUR", "USD", "EUR"].map(change));
	const { json } = await world.get("/audit?limit=200");
	const changes = json.items.filter(({ action }: { action: string }) => action === "currency.set").toReversed();
	expect(changes.map(({ before }: { before: object }) => before)).toEqual(
		changes.map((_: object, index: number) => (index === 0 ? { currency: "USD" } : changes[index - 1].after)),
	);
});

it("saves only one trigger per name: two would both fire", async () => {
	const pipeline = { apiVersion: "spillway/v1", kind: "Pipeline", metadata: { name: "train", team: "research" } };
	const steps = [{ name: "train", job: { command: ["true"] } }];
	const body = {
		...{ apiVersion: "spillway/v1", kind: "Trigger", metadata: { name: "nightly", team: "research" } },
		spec: { webhook: {}, pipeline: { ...pipeline, spec: { steps } } },
	};
	const save = () => call("POST", "/triggers", body);
	expect(await together(save, save, save, save)).toEqual([201, 201, 201, 201]);
	expect((await world.get("/triggers")).json.items).toHaveLength(1);
});

it("adds a person once", async () => {
	const add = () => call("POST", "/accounts", { email: "ada@example.test", name: "Ada", role: "finance", teams: [] });
	expect((await together(add, add, add)).sort()).toEqual([201, 409, 409]);
});

it("adds no more secrets and templates to a team than its limit", async () => {
	const names = Array.from({ length: 198 }, (_, i) => `n${i}`);
	const at = new Date();
	await world.database.db.insert(jobSecret).values(
		names.map((name) => ({
			...{ team: "vision", name, source: { kind: "vault" as const, path: "a", key: "b" } },
			...{ createdAt: at, changedAt: at, changedBy: "x" },
		})),
	);
	await world.database.db.insert(template).values(names.map((name) => ({ id: `tmpl_${name}`, team: "vision", name, version: 1 })));
	const secret = (i: number) => () => call("PUT", `/teams/vision/secrets/new-${i}`, { vault: { path: "a", key: "b" } });
	const job = (i: number) => ({
		...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: `new-${i}`, team: "vision" } },
		spec: { command: ["true"] },
	});
	const save = (i: number) => () => call("POST", "/templates", { document: job(i) });
	await openConnections(world.database.db, 6);
	for (const [one, success] of [
		[secret, 200],
		[save, 201],
	] as const) {
		const statuses = await together(...[1, 2, 3, 4, 5, 6].map(one));
		expect(statuses.sort()).toEqual([success, success, 409, 409, 409, 409]);
	}
});

it("deletes once, and records it once", async () => {
	const { json: view } = await world.post("/views", { name: "twice", query: "" });
	const remove = () => call("DELETE", `/views/${view.id}`);
	expect((await together(remove, remove, remove)).sort()).toEqual([200, 404, 404]);
	const { json } = await world.get("/audit?limit=200");
	expect(json.items.filter(({ action }: { action: string }) => action === "view.delete")).toHaveLength(1);
});
