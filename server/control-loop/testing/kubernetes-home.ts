import { writeFile } from "node:fs/promises";
import path from "node:path";
import { KubernetesDriver } from "#server/providers/kubernetes/driver.ts";
import type { ParsedKubernetesSettings } from "#server/providers/kubernetes/settings.ts";
import { startEmulatedCluster, THEIR_NAMESPACE } from "#server/providers/testing/emulated-kubernetes.ts";
import { type TheirRealJobs, theirRealJobs } from "#server/providers/testing/their-real-jobs.ts";
import { UnluckyProxy } from "#server/providers/testing/unlucky-proxy.ts";

/** A cluster at home with a queue for adoption, and another user. */
export interface KubernetesHome {
	/** A separate driver for each scheduling process. */
	open(): KubernetesDriver;
	theirs: TheirRealJobs;
	/** Between the drivers and the API server. */
	proxy: UnluckyProxy;
	/** Makes the server forget its changes so far, if it does not do so by itself. */
	forgetChanges(): void;
	close(): Promise<void>;
}

/** The emulated API server with exactly the shipped rights. */
export async function emulatedHome(): Promise<KubernetesHome> {
	const cluster = await startEmulatedCluster();
	const tokenFile = path.join(path.dirname(cluster.tokenFile), "owner");
	await writeFile(tokenFile, "admin\n", { mode: 0o600 });
	const { settings, emulator } = cluster;
	emulator.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: THEIR_NAMESPACE } });
	const owner = { server: emulator.url, tokenFile };
	const home = await homeOf({ ...settings, adoptFrom: [THEIR_NAMESPACE] }, { server: emulator.url, tokenFile: cluster.tokenFile }, owner);
	const close = async () => {
		await home.close();
		await cluster.stop();
	};
	return { ...home, forgetChanges: () => emulator.store.compact(), close };
}

/** An existing cluster. Its access must be a server and a token file, which can be routed through the proxy. */
export async function givenHome(settings: ParsedKubernetesSettings, owner: ParsedKubernetesSettings["access"]): Promise<KubernetesHome> {
	if (!("server" in settings.access)) throw new Error('the access has to be {"server", "tokenFile", "caFile"} here');
	return { ...(await homeOf(settings, settings.access, owner)), forgetChanges: () => {} };
}

async function homeOf(
	settings: ConstructorParameters<typeof KubernetesDriver>[1],
	access: { server: string; tokenFile: string; caFile?: string | undefined },
	owner: ParsedKubernetesSettings["access"],
): Promise<Omit<KubernetesHome, "forgetChanges">> {
	const proxy = await UnluckyProxy.start(access);
	const [namespace = ""] = settings.adoptFrom ?? [];
	const { theirs, end } = theirRealJobs(owner, namespace);
	const drivers: KubernetesDriver[] = [];
	return {
		proxy,
		theirs,
		open() {
			const through = { ...settings, access: { server: proxy.url, tokenFile: access.tokenFile } };
			const driver = new KubernetesDriver("home", through, { resolveAccelerator: () => "H100-80GB" });
			drivers.push(driver);
			return driver;
		},
		async close() {
			for (const driver of drivers) await driver.close({ stopJobs: false, graceMs: 0 });
			await end();
			await proxy.stop();
		},
	};
}
