import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { asc } from "drizzle-orm";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { userData } from "#server/agent/user-data.ts";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { fileSha256 } from "#server/api/agent/served-file.ts";
import { account, team } from "#server/db/schema/account.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { jobLog } from "#server/db/schema/job-log.ts";
import { site } from "#server/db/schema/site.ts";
import { createTestDatabase } from "#server/db/testing/database.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { startEc2Emulator } from "#server/emulators/aws/emulator.ts";
import { DEFAULT_ACCESS_KEY_ID } from "#server/emulators/aws/options.ts";
import { startAzureEmulator } from "#server/emulators/azure/emulator.ts";
import { EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import { startGceEmulator } from "#server/emulators/gcp/emulator.ts";
import { writeKeyFile } from "#server/emulators/gcp/key-file.ts";
import { DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import type { CatalogEntry } from "#server/emulators/shared/catalog-entry.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { AwsDriver } from "#server/providers/aws/driver.ts";
import { AzureDriver } from "#server/providers/azure/driver.ts";
import type { CloudDriver } from "#server/providers/driver.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { openComputeClients } from "#server/providers/gcp/compute-clients.ts";
import { GcpDriver } from "#server/providers/gcp/driver.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { refreshOffers } from "#server/services/pricing/offer/refresh.ts";
import { bootstrapHashOf, bootstrapSecretOf } from "#server/services/work/agent/bootstrap.ts";
import { buildAgent, serve } from "#server/services/work/agent/testing/machine.ts";
import { SECRET_KEY } from "#server/services/work/agent/testing/seed.ts";
import { submitJobs } from "#server/services/work/job/submit.ts";
import { newCloudMemory, syncCloud } from "./cloud-sync.ts";
import type { LoopContext } from "./context.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";

/** Less than Vitest's limit, so that a late run shows what it reached. */
const LIMIT_MS = 600_000;
const CONTROL_PLANE = "spw-1";
const NODES = 4;

/**
 * A minimal torchrun: rank 0 listens at the agreed address, the other ranks connect, and all reduce a sum. Each prints its sum, and fails
 * when it is wrong.
 */
const ALL_REDUCE = `
const net = require("node:net");
const { MASTER_ADDR, MASTER_PORT, NNODES, NODE_RANK, WORLD_SIZE, PET_NODE_RANK, RANK } = process.env;
const [nodes, rank, port] = [Number(NNODES), Number(NODE_RANK), Number(MASTER_PORT)];
if (WORLD_SIZE !== NNODES || PET_NODE_RANK !== NODE_RANK || RANK !== NODE_RANK) process.exit(4);
const done = (sum) => { console.log("sum " + sum + " of " + nodes); process.exit(sum === (nodes * (nodes + 1)) / 2 ? 0 : 3); };
if (rank === 0) {
	const peers = [];
	let sum = 1;
	net.createServer((peer) => peer.once("data", (data) => {
		sum += Number(data);
		peers.push(peer);
		if (peers.length < nodes - 1) return;
		let left = peers.length;
		for (const p of peers) p.end(String(sum), () => { if (--left === 0) done(sum); });
	})).listen(port, MASTER_ADDR);
} else {
	const meet = () => {
		const peer = net.connect(port, MASTER_ADDR, () => peer.write(String(rank + 1)));
		peer.once("data", (data) => done(Number(data)));
		peer.once("error", () => setTimeout(meet, 100));
	};
	meet();
}
`;

interface Cloud {
	driver: CloudDriver;
	/** The placement of its offer, without a zone where this cloud sells by region. */
	offer: { region: string; zone: string | null; instanceType: string };
	/** Model that the job requests; default a GPU. */
	accelerator?: string;
	/** Machines in the provider's own records. */
	book(): { state: string }[];
	close(): Promise<void>;
}

const DELAYS = { port: 0, bootDelayMs: 20, terminateDelayMs: 5, spotNoticeMs: 15_000, guestStopGraceMs: 2_000, seed: 1 };

function catalogOf(instanceType: string, region: string, zone: string): CatalogEntry[] {
	return [
		{
			...{ instanceType, vcpus: 4, memoryGiB: 16, gpus: 1, gpuModel: "T4-16GB" },
			regions: [{ region, onDemandMicroUsdPerHour: 1_000_000n, zones: [{ zone, spotMicroUsdPerHour: null }] }],
		},
	];
}

const CLOUDS: Record<"aws" | "azure" | "gcp" | "slice", (stateDir: string) => Promise<Cloud>> = {
	async aws(stateDir) {
		const offer = { region: "us-east-1", zone: null, instanceType: "g5.xlarge" };
		const emulator = await startEc2Emulator({ ...DELAYS, stateDir, catalog: catalogOf(offer.instanceType, offer.region, "us-east-1a") });
		const settings = {
			...{ controlPlane: CONTROL_PLANE, endpoint: emulator.url, regions: [offer.region], imageId: "ami-0123456789abcdef0" },
			credentials: { accessKeyId: DEFAULT_ACCESS_KEY_ID, secretAccessKey: "any" },
		};
		const driver = new AwsDriver("aws", { settings, listPrices: () => [] });
		return { driver, offer, book: () => emulator.instances(), close: () => emulator.stop({ killInstances: true }) };
	},
	async azure(stateDir) {
		const offer = { region: "eastus", zone: null, instanceType: "Standard_NC4as_T4_v3" };
		const emulator = await startAzureEmulator({ ...DELAYS, stateDir, catalog: catalogOf(offer.instanceType, offer.region, "eastus-1") });
		const network = `/subscriptions/${EMULATED_SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/s`;
		const settings = {
			...{ controlPlane: CONTROL_PLANE, endpoint: emulator.url, regions: [offer.region], subscriptionId: EMULATED_SUBSCRIPTION },
			...{ resourceGroup: EMULATED_RESOURCE_GROUP, subnets: { eastus: network }, allocationPollMs: 20 },
		};
		const driver = new AzureDriver("azure", { settings, listPrices: () => [] });
		return { driver, offer, book: () => emulator.instances(), close: () => emulator.stop({ killInstances: true }) };
	},
	async gcp(stateDir) {
		const offer = { region: "us-central1", zone: "us-central1-a", instanceType: "g2-standard-4" };
		process.env["GOOGLE_APPLICATION_CREDENTIALS"] = writeKeyFile(stateDir);
		const emulator = await startGceEmulator({ ...DELAYS, stateDir, catalog: catalogOf(offer.instanceType, offer.region, offer.zone) });
		const sdk = await openComputeClients({ endpoint: emulator.url });
		const settings = {
			...{ controlPlane: CONTROL_PLANE, project: DEFAULT_PROJECT, regions: [offer.region], endpoint: emulator.url, operationPollMs: 5 },
			image: "projects/debian-cloud/global/images/family/debian-12",
		};
		const driver = new GcpDriver("gcp", { settings, listPrices: () => [], open: async () => sdk });
		const close = async () => {
			await sdk.close();
			await emulator.stop({ killInstances: true });
		};
		return { driver, offer, book: () => emulator.instances(), close };
	},
	async slice(stateDir) {
		const offer = { region: "us-east5", zone: "us-east5-b", instanceType: "v6e-16" };
		process.env["GOOGLE_APPLICATION_CREDENTIALS"] = writeKeyFile(stateDir);
		const catalog = catalogOf("g2-standard-4", offer.region, offer.zone);
		const emulator = await startGceEmulator({ ...DELAYS, stateDir, catalog, tpuTypes: { [offer.zone]: [offer.instanceType] } });
		const sdk = await openComputeClients({ endpoint: emulator.url });
		const settings = {
			...{ controlPlane: CONTROL_PLANE, project: DEFAULT_PROJECT, regions: [offer.region], endpoint: emulator.url, operationPollMs: 5 },
			...{ image: "projects/debian-cloud/global/images/family/debian-12", tpuZones: [offer.zone] },
		};
		const driver = new GcpDriver("slice", { settings, listPrices: () => [], open: async () => sdk });
		const close = async () => {
			await sdk.close();
			await emulator.stop({ killInstances: true });
		};
		return { driver, offer, accelerator: "TPU-v6e", book: () => emulator.instances(), close };
	},
};

let agentFile: string;
beforeAll(async () => {
	agentFile = await buildAgent();
});
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

/** A control plane with one cloud: the whole loop over the real drivers, the agent API, and machines that boot. */
async function open(name: keyof typeof CLOUDS) {
	const database = await createTestDatabase();
	closers.push(() => database.drop());
	const folder = await mkdtemp(path.join(os.tmpdir(), `spillway-gang-${name}-`));
	closers.push(() => rm(folder, { recursive: true, force: true }));
	const cloud = await CLOUDS[name](path.join(folder, "cloud"));
	closers.push(cloud.close);
	const { db } = database;
	const timing = timingSchema.parse({ heartbeatMs: 100, stopGraceMs: 5_000, callRetryMs: 500 });
	const control = await serve(
		createAgentHandler({
			db,
			clock: systemClock,
			secretKey: SECRET_KEY,
			checkpointRoot: path.join(folder, "checkpoints"),
			artifactRoot: path.join(folder, "artifacts"),
			agentFile,
			timing,
		}),
	);
	closers.push(() => control.close());
	const agentSha256 = await fileSha256(agentFile);
	const ctx: LoopContext = {
		...{ db, clock: systemClock, timing, clusters: new Map(), clouds: new Map([[name, cloud.driver]]) },
		userDataFor: ({ instanceId, expiresAtMs, lifeMs }) =>
			userData({
				...{ controlUrl: control.url, instanceId, agentSha256, expiresAtMs, lifeMs, runtimeSha256: {} },
				bootstrapSecret: bootstrapSecretOf(SECRET_KEY, instanceId),
			}),
		bootstrapHashFor: (instanceId) => bootstrapHashOf(SECRET_KEY, instanceId),
		checkpointRoot: path.join(folder, "checkpoints"),
		artifactRoot: path.join(folder, "artifacts"),
		log: () => {},
		probe: () => {},
	};
	const nowMs = systemClock.nowMs();
	await db.insert(team).values({ name: "research" });
	const person = { id: "usr_a", email: "a@example.test", name: "A", role: "platform" as const, teams: ["research"] };
	await db.insert(account).values({ ...person, createdAt: new Date(nowMs) });
	const { provider } = cloud.driver;
	await db.insert(site).values({ id: name, name, provider, settings: { regions: [cloud.offer.region] }, healthy: true });
	const source = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - { id: burst, when: "true", burst: { after: { forecastWait: 1s } } }
    - { id: life, when: "true", limit: { instanceHours: 1 } }
  budgets:
    - { id: month, scope: "true", period: month, capUsd: 1000, atCap: hold }
`;
	await publishPolicy(systemContext(db, systemClock, "seed"), { name: "default", message: "test", source });
	const offered = { siteId: name, provider, ...cloud.offer, accelerator: cloud.accelerator ?? "T4-16GB", priceObservedAtMs: nowMs };
	await refreshOffers(db, [fakeOffer(offered)], nowMs);
	return { database, cloud, ctx };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Submits a job of four machines with this program. */
async function submit({ database, cloud }: Opened, program: string): Promise<void> {
	const { accelerator } = cloud;
	const resources = { gpus: 1, ...(accelerator !== undefined && { accelerators: [accelerator] }) };
	const spec = parseJobDocument({
		...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "all-reduce", team: "research" } },
		spec: { command: ["node", "-e", program], nodes: NODES, resources, duration: { estimate: "5s", max: "10m" } },
	});
	await submitJobs(systemContext(database.db, systemClock, "seed"), [spec]);
}

/** Runs the loop until this holds, for at most LIMIT_MS. */
async function runUntil({ cloud, ctx }: Opened, over: () => Promise<boolean>): Promise<void> {
	const [memory, seen] = [newCycleMemory(), newCloudMemory()];
	for (const until = performance.now() + LIMIT_MS; !(await over()) && performance.now() < until; await sleep(100)) {
		await runCycle(ctx, memory);
		await syncCloud(ctx, cloud.driver, seen);
	}
}

async function isOver({ database: { db } }: Opened): Promise<boolean> {
	const [rows, machines] = [await db.select().from(job), await db.select().from(instance)];
	return rows.every((j) => j.finishedAt) && machines.length > 0 && machines.every((i) => i.state === "terminated");
}

async function logOf({ database: { db } }: Opened): Promise<string[]> {
	const lines = await db.select({ text: jobLog.text }).from(jobLog).orderBy(asc(jobLog.number));
	return lines.map((l) => l.text);
}

describe.each(["aws", "azure", "gcp", "slice"] as const)("a gang on machines of %s", (name) => {
	it("meets at rank 0, reduces a sum over all ranks, and leaves nothing behind", async () => {
		const opened = await open(name);
		const { database, cloud, ctx } = opened;
		const { db } = database;
		await submit(opened, ALL_REDUCE);
		await runUntil(opened, () => isOver(opened));
		const log = await logOf(opened);
		const attempts = await db.select().from(attempt);
		expect(
			attempts.map((a) => [a.state, a.exitCode]),
			log.join("\n"),
		).toEqual([["succeeded", 0]]);
		for (let rank = 0; rank < NODES; rank++) expect(log).toContain(`[${rank}] sum 10 of ${NODES}`);
		const machines = await db.select().from(instance).orderBy(asc(instance.rank));
		expect(machines.map((i) => [i.rank, i.exit?.code])).toEqual([0, 1, 2, 3].map((rank) => [rank, 0]));
		expect(new Set(machines.map((i) => i.privateAddress)).size).toBe(NODES);
		expect(new Set(machines.map((i) => i.zone)).size).toBe(1);
		expect(cloud.book().map((i) => i.state)).toEqual(Array(NODES).fill("terminated"));
		await meterAll(ctx);
		expect((await ledgerCheck(ctx)).differences).toEqual([]);
	});
});

describe("a gang on the hosts of a TPU slice", () => {
	it("gets each worker's number and the addresses of all", async () => {
		const opened = await open("slice");
		await submit(
			opened,
			"const e = process.env; console.log([e.TPU_WORKER_ID, e.TPU_WORKER_HOSTNAMES, e.TPU_ACCELERATOR_TYPE, e.TPU_TOPOLOGY].join(' '))",
		);
		await runUntil(opened, () => isOver(opened));
		const machines = await opened.database.db.select().from(instance).orderBy(asc(instance.rank));
		const addresses = machines.map(({ privateAddress }) => privateAddress).join(",");
		const log = await logOf(opened);
		for (let rank = 0; rank < NODES; rank++) expect(log).toContain(`[${rank}] ${rank} ${addresses} v6e-16 4x4`);
	});

	it("ends as a whole when one host fails, and the ledger holds all four hosts", async () => {
		const opened = await open("slice");
		const { database, cloud, ctx } = opened;
		// The others would run for ten minutes.
		await submit(opened, "process.env.TPU_WORKER_ID === '2' ? process.exit(7) : setTimeout(() => {}, 600_000)");
		await runUntil(opened, () => isOver(opened));
		const machines = await database.db.select().from(instance).orderBy(asc(instance.rank));
		expect(machines.map(({ rank, state }) => [rank, state])).toEqual([0, 1, 2, 3].map((rank) => [rank, "terminated"]));
		expect(new Set(machines.map(({ providerInstanceId }) => providerInstanceId?.replace(/\d+$/, ""))).size).toBe(1);
		expect(cloud.book().map((i) => i.state)).toEqual(Array(NODES).fill("terminated"));
		await meterAll(ctx);
		expect((await ledgerCheck(ctx)).differences).toEqual([]);
		expect((await database.db.select().from(attempt)).map(({ exitCode }) => exitCode)).toEqual([7]);
	});
});
