import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe } from "vitest";
import { z } from "zod";
import { describeClusterDriverContract } from "../contract/cluster-contract.ts";
import { type ClusterHarness, eventually, type MakeClusterHarness } from "../contract/cluster-harness.ts";
import { posixCommand } from "../contract/posix-job.ts";
import { startEmulatedCluster, THEIR_NAMESPACE } from "../testing/emulated-kubernetes.ts";
import { theirJobs } from "../testing/their-jobs.ts";
import { theirRealJobs } from "../testing/their-real-jobs.ts";
import { KubernetesDriver, type KubernetesDriverOptions } from "./driver.ts";
import { type KubernetesSettings, kubernetesSettingsSchema } from "./settings.ts";

/** An existing cluster: a site's settings as JSON. Without it, our own API servers are started. */
const given = process.env.SPILLWAY_CONTRACT_KUBERNETES
	? kubernetesSettingsSchema.parse(JSON.parse(process.env.SPILLWAY_CONTRACT_KUBERNETES))
	: null;

/**
 * Credentials of someone who may create Jobs in the first namespace of `adoptFrom`. With it, that cluster's own queue is tested
 * too.
 */
const owner = process.env.SPILLWAY_CONTRACT_KUBERNETES_OWNER
	? kubernetesSettingsSchema.shape.access.parse(JSON.parse(process.env.SPILLWAY_CONTRACT_KUBERNETES_OWNER))
	: null;

interface Cluster {
	settings: KubernetesSettings;
	theirs?: ClusterHarness["theirs"];
	stop(): Promise<void>;
}

let sites = 0;

function contract(name: string, open: () => Promise<Cluster>, options: KubernetesDriverOptions & { withQueue?: boolean }): void {
	const make: MakeClusterHarness = async () => {
		const { settings, stop, theirs } = await open();
		sites += 1;
		const siteId = `contract-${process.pid}-${sites}`;
		const volume = settings.volume ? await mkdtemp(path.join(settings.volume.folder, "contract-")) : null;
		const newDriver = () => {
			const part = volume === null ? "" : path.basename(volume);
			const mine = settings.volume && volume !== null ? { volume: below(settings.volume, part) } : {};
			return new KubernetesDriver(siteId, { ...settings, ...mine }, { ...options, resolveAccelerator: () => "H100-80GB" });
		};
		const drivers: KubernetesDriver[] = [];
		const opened = () => {
			const driver = newDriver();
			drivers.push(driver);
			return driver;
		};
		const driver = opened();
		const [pool] = (await driver.observe()).pools.filter((p) => p.gpusPerNode >= 4);
		const { id, accelerator, nodes, gpusPerNode } = z
			.object({ id: z.string(), accelerator: z.string(), nodes: z.number(), gpusPerNode: z.number() })
			.parse(pool);
		return {
			...{ driver, poolId: id, accelerator, slots: nodes * gpusPerNode, command: posixCommand },
			passTime: () => sleep(20),
			nowMs: () => Date.now(),
			restart: async () => opened(),
			async cleanup() {
				const last = newDriver();
				await last.close({ stopJobs: true, graceMs: 0 });
				await eventually({ passTime: () => sleep(20) }, "everything is forgotten", async () => {
					const { attempts } = await last.observe();
					for (const { attemptId } of attempts) await last.forget(attemptId);
					return attempts.length === 0;
				});
				await last.close({ stopJobs: false, graceMs: 0 });
				for (const each of drivers) await each.close({ stopJobs: false, graceMs: 0 });
				if (volume !== null) await rm(volume, { recursive: true, force: true });
				await stop();
			},
			features: {
				realProcesses: true,
				checkpointFolder: volume !== null,
				timeStepMs: 1_000,
				separateStreams: false,
				letsWait: "Unschedulable",
			},
			...(theirs ? { theirs } : {}),
		};
	};
	describeClusterDriverContract(name, make, { withQueue: options.withQueue ?? false });
}

function below(volume: NonNullable<KubernetesSettings["volume"]>, part: string): NonNullable<KubernetesSettings["volume"]> {
	const inside = (folder: string) => path.join(folder, part);
	const source = "hostPath" in volume.source ? { hostPath: inside(volume.source.hostPath) } : volume.source;
	return { ...volume, source, folder: inside(volume.folder), mountPath: inside(volume.mountPath ?? "/spillway") };
}

if (given) {
	describe("a cluster that is there already", () => {
		const alwaysJobs = process.env.SPILLWAY_CONTRACT_KUBERNETES_JOBS === "always";
		const [namespace] = given.adoptFrom ?? [];
		const withQueue = owner !== null && namespace !== undefined;
		const open = async (): Promise<Cluster> => {
			if (!withQueue) return { settings: given, stop: async () => {} };
			const { theirs, end } = theirRealJobs(owner, namespace);
			return { settings: given, stop: end, theirs };
		};
		contract("kubernetes", open, { alwaysJobs, withQueue });
	});
} else {
	describe("an emulated current server", () => {
		const open = async () => {
			const { emulator, settings, stop } = await startEmulatedCluster();
			return { settings: { ...settings, adoptFrom: [THEIR_NAMESPACE] }, stop, theirs: theirJobs(emulator) };
		};
		contract("kubernetes", open, { withQueue: true });
	});
	describe("an emulated server of 1.20", () => {
		contract("kubernetes 1.20", () => startEmulatedCluster({ minor: 20 }), {});
	});
}
