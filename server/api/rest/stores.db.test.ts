import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "#cli/testing/run-command.ts";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { audit } from "#server/db/schema/audit.ts";
import { store } from "#server/db/schema/store.ts";
import { env } from "#server/env.ts";
import { RcloneStores } from "#server/providers/stores/rclone-stores.ts";
import { openStore } from "#server/services/capacity/store/box.ts";

const CONFIG = { kind: "s3", provider: "AWS", bucket: "acme-models", region: "eu-west-1" };
const SECRET = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "first-store-key" };
const port = new RcloneStores(() => Promise.reject(new Error("A change must not open the store.")));

let world: RestWorld;
let id: string;
beforeAll(async () => {
	world = await RestWorld.open({ storePort: port });
	id = (await world.post("/stores", { team: "research", name: "models", config: CONFIG, secret: SECRET, check: false })).json.id;
});
afterAll(() => world.close());

const change = (body: unknown, as: "platform" | "scientist" = "platform") => world.call("PATCH", `/api/v1/stores/${id}`, { as, body });

async function stored() {
	const [row] = await world.database.db.select().from(store).where(eq(store.id, id));
	if (!row) throw new Error("the store is missing");
	return { config: row.config, secret: openStore({ secretKey: env().SPILLWAY_SECRET }, row).secret };
}

it("settings and credentials change separately, and credentials are never returned", async () => {
	const config = { ...CONFIG, place: "aws:eu-west-1" };
	const settings = await change({ config });
	expect(settings).toMatchObject({ status: 200, json: { id, place: "aws:eu-west-1", checkedAt: null } });
	expect(await stored()).toEqual({ config, secret: SECRET });
	const secret = { ...SECRET, secretAccessKey: "second-store-key" };
	const rotated = await change({ secret });
	expect(await stored()).toEqual({ config, secret });
	expect((await change({})).status).toBe(200);
	const lines = await world.database.db
		.select({ after: audit.after })
		.from(audit)
		.where(eq(audit.action, "store.update"))
		.orderBy(audit.id);
	expect(lines).toEqual([{ after: { config } }, { after: { config, credentials: "replaced" } }]);
	expect(`${settings.text}${rotated.text}${JSON.stringify(lines)}`).not.toContain("store-key");
});

it("files are never moved, and errors are at their fields", async () => {
	const before = await stored();
	expect(await change({ config: { ...CONFIG, bucket: "other" } })).toMatchObject({
		...{ status: 409, json: { detail: expect.stringContaining("keeps its files in s3://acme-models; that cannot change") } },
	});
	expect(await change({ secret: { accessKeyId: "AKIA" } })).toMatchObject({
		...{ status: 400, json: { fields: [{ path: "secret.secretAccessKey" }] } },
	});
	expect(await change({ team: "vision" })).toMatchObject({ status: 400 });
	expect(await change({ nonsense: 1 }, "scientist")).toMatchObject({ status: 403 });
	expect(await world.call("PATCH", "/api/v1/stores/sto_missing", { body: {} })).toMatchObject({ status: 404 });
	expect(await stored()).toEqual(before);
});

it("the command line changes a store from a file", async () => {
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-stores-"));
	try {
		const file = path.join(folder, "store.yaml");
		writeFileSync(file, "secret: { accessKeyId: AKIAEXAMPLE, secretAccessKey: third-store-key }\n");
		const ran = await runCommand(["stores", "update", "research/models", "-f", file], {
			env: { SPILLWAY_TOKEN: world.tokens.platform, SPILLWAY_URL: world.url },
		});
		expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("research/models was changed: s3://acme-models") });
		expect(ran.out).not.toContain("store-key");
		expect((await stored()).secret).toMatchObject({ secretAccessKey: "third-store-key" });
	} finally {
		rmSync(folder, { recursive: true });
	}
});
