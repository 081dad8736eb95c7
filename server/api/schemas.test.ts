import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, it } from "vitest";
import { handleSchema } from "./schemas.ts";

const server = createServer(handleSchema);
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => new Promise((resolve) => server.close(resolve)));

it.each(["job", "lineage", "policy", "pipeline", "sweep"])("serves /schemas/%s.json without a session", async (name) => {
	const response = await fetch(`${base}/schemas/${name}.json?v=1`);
	expect(response.status).toBe(200);
	expect(response.headers.get("content-type")).toBe("application/schema+json");
	expect(await response.json()).toMatchObject({ $id: `/schemas/${name}.json`, type: "object", additionalProperties: false });
});

it("lists the schemas for an unknown name", async () => {
	const response = await fetch(`${base}/schemas/constructor`);
	expect(response.status).toBe(404);
	expect(await response.text()).toContain("/schemas/job.json");
});
