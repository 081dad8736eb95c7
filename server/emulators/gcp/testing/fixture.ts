import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogEntry } from "../../shared/catalog-entry.ts";
import { type GceEmulator, startGceEmulator } from "../emulator.ts";
import { TOKEN_LIFE_S } from "../identity-signer.ts";
import { DEFAULT_ACCOUNT, DEFAULT_PROJECT, type GceEmulatorOptions } from "../options.ts";

export const ZONE = "us-central1-a";

/** Invented prices. No test depends on what a machine really costs. */
export const FIXTURE_CATALOG: readonly CatalogEntry[] = [
	{
		...{ instanceType: "g2-standard-4", vcpus: 4, memoryGiB: 16, gpus: 1, gpuModel: "L4-24GB" },
		regions: [
			{
				region: "us-central1",
				onDemandMicroUsdPerHour: 700_000n,
				zones: [
					{ zone: "us-central1-a", spotMicroUsdPerHour: 280_000n },
					{ zone: "us-central1-b", spotMicroUsdPerHour: null },
				],
			},
			{ region: "europe-west4", onDemandMicroUsdPerHour: 770_000n, zones: [{ zone: "europe-west4-a", spotMicroUsdPerHour: 300_000n }] },
		],
	},
];

/** The endpoint's response: its status and its unparsed body. */
export interface Reply {
	status: number;
	// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
	body: any;
}

export interface TestEmulator extends GceEmulator {
	stateDir: string;
	/** A call of the project's API, e.g. `GET`, `zones/us-central1-a/instances`. */
	call(method: string, path: string, body?: unknown, token?: string): Promise<Reply>;
	/** Launches a machine and returns its operation once that is complete. */
	launch(resource: Record<string, unknown>, query?: string): Promise<Reply["body"]>;
	/** Ends the machines and the folder. */
	dispose(): Promise<void>;
}

/** Starts an emulator on a free port with short delays; machines boot immediately. */
export async function startTestEmulator(options: Partial<GceEmulatorOptions> = {}): Promise<TestEmulator> {
	const stateDir = options.stateDir ?? mkdtempSync(join(tmpdir(), "spillway-gce-"));
	const delays = { bootDelayMs: 0, terminateDelayMs: 0, spotNoticeMs: 0, guestStopGraceMs: 2_000 };
	const emulator = await startGceEmulator({ port: 0, catalog: FIXTURE_CATALOG, seed: 7, ...delays, ...options, stateDir });
	const call: TestEmulator["call"] = async (method, path, body, token = tokenOf(DEFAULT_ACCOUNT)) => {
		const answer = await fetch(`${emulator.url}/compute/v1/projects/${DEFAULT_PROJECT}/${path}`, {
			method,
			headers: { authorization: `Bearer ${token}` },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		return { status: answer.status, body: await answer.json() };
	};
	return {
		...emulator,
		stateDir,
		call,
		async launch(resource, query = "") {
			const placed = await call("POST", `zones/${ZONE}/instances${query}`, resource);
			if (placed.status !== 200) throw new Error(`the order was refused: ${JSON.stringify(placed.body)}`);
			for (let operation = placed.body; ; operation = (await call("GET", `zones/${ZONE}/operations/${placed.body.name}`)).body) {
				if (operation.status === "DONE") return operation;
			}
		},
		async dispose() {
			await emulator.stop({ killInstances: true });
			rmSync(stateDir, { recursive: true, force: true });
		},
	};
}

/** A token in the format that Google's library signs from a key file; valid for an hour. */
export function tokenOf(account: string, expiresAtMs = Date.now() + 3_600_000): string {
	const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
	const exp = Math.floor(expiresAtMs / 1_000);
	return `${part({ alg: "RS256" })}.${part({ iss: account, iat: exp - TOKEN_LIFE_S, exp })}.unsigned`;
}

/** A launch request for one machine; `script` is executed at its boot. */
export function machineOf(name: string, changes: Record<string, unknown> = {}, script = ""): Record<string, unknown> {
	return {
		name,
		machineType: `zones/${ZONE}/machineTypes/g2-standard-4`,
		disks: [{ boot: true, initializeParams: { sourceImage: "projects/debian-cloud/global/images/family/debian-12" } }],
		networkInterfaces: [{ network: "global/networks/default" }],
		scheduling: { onHostMaintenance: "TERMINATE" },
		...(script === "" ? {} : { metadata: { items: [{ key: "startup-script", value: script }] } }),
		...changes,
	};
}
