import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { expect, it } from "vitest";
import { ControlClient } from "../client.ts";
import type { MachineMetadata } from "../metadata.ts";
import { preparedRequest } from "../protocol.ts";
import { takeSettings } from "../settings.ts";
import { awaitJob } from "./await-job.ts";

const MACHINE = { instanceId: "ins_1", bootstrapSecret: "s".repeat(43), providerInstanceId: "i-1", nonce: "n".repeat(24) };

/** Waits for a job on a control plane that gives one after some reports. Each report gets the next of these statuses. */
async function waitUntilReported(reportStatuses: readonly number[]): Promise<{ waiting: number; reports: unknown[] }> {
	const folder = await mkdtemp(path.join(tmpdir(), "spillway-await-"));
	const reports: unknown[] = [];
	let waiting = 0;
	const server = createServer(async (request, response) => {
		const body = await json(request);
		const reply = (status: number, value: unknown) =>
			response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
		if (request.url === "/agent/v1/prepared") {
			const status = reportStatuses[reports.push(body) - 1] ?? 200;
			return void reply(status, status === 200 ? {} : { title: "x", detail: "x", status, code: "not_found" });
		}
		waiting++;
		const assigned = reports.length >= reportStatuses.length;
		reply(200, { assigned, pollMs: 10, ...(!assigned && { prepare: { images: ["acme/train:1"], data: [] } }) });
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	try {
		const controlUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const settings = takeSettings({
			...{ NODE_ENV: "test", SPILLWAY_CONTROL_URL: controlUrl, SPILLWAY_INSTANCE_ID: MACHINE.instanceId, SPILLWAY_WARM: "1" },
			...{ SPILLWAY_BOOTSTRAP_SECRET: MACHINE.bootstrapSecret, SPILLWAY_EXPIRES_AT_MS: "1", SPILLWAY_AGENT_DIR: folder },
			...{ SPILLWAY_CONTAINER_ENGINE: "none", PATH: "" },
		});
		const log = (): void => {};
		await awaitJob(settings, {
			...{ client: new ControlClient({ baseUrl: controlUrl, log }), metadata: {} as MachineMetadata },
			...{ freshJson: async () => MACHINE, signal: new AbortController().signal, log },
		});
		return { waiting, reports };
	} finally {
		server.closeAllConnections();
		server.close();
		await rm(folder, { recursive: true, force: true });
	}
}

it("reports again what the control plane still expects after a lost report", async () => {
	const { reports } = await waitUntilReported([503, 200]);
	expect(reports.length).toBeGreaterThanOrEqual(2);
	expect(reports.map((report) => preparedRequest.parse(report).items)).toEqual(
		reports.map(() => [
			{ kind: "image", name: "acme/train:1", bytes: null, digest: null, problem: "this instance runs commands without containers" },
		]),
	);
});

it("gets its job although an earlier control plane has no call for reports", async () => {
	const { waiting, reports } = await waitUntilReported([404]);
	expect(reports.length).toBeGreaterThanOrEqual(1);
	expect(waiting).toBeGreaterThanOrEqual(2);
});
