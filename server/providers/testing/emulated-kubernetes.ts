import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { KubernetesEmulator, type KubernetesEmulatorOptions } from "#server/emulators/kubernetes/emulator.ts";
import type { KubernetesSettings } from "../kubernetes/settings.ts";

/** The manifests that users apply: the emulated server rejects what they do not grant. */
const RBAC = ["kubernetes-rbac.yaml", "kubernetes-adoption-rbac.yaml"].map(
	(name) => new URL(`../../../docs/providers/${name}`, import.meta.url),
);
/** The namespace of the second manifest. */
export const THEIR_NAMESPACE = "research";
const PRODUCT = { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" };

export interface EmulatedCluster {
	emulator: KubernetesEmulator;
	settings: KubernetesSettings & { volume: NonNullable<KubernetesSettings["volume"]> };
	tokenFile: string;
	stop(): Promise<void>;
}

/** Two nodes of four GPUs on a server that behaves as 1.<minor>, a token with the shipped rights, and a folder as volume. */
export async function startEmulatedCluster(options: Partial<KubernetesEmulatorOptions> = {}): Promise<EmulatedCluster> {
	const home = await mkdtemp(path.join(tmpdir(), "spillway-kubernetes-"));
	const emulator = new KubernetesEmulator({
		minor: 34,
		nodes: ["gpu-1", "gpu-2"].map((name) => ({ name, gpus: 4, labels: PRODUCT })),
		namespace: "spillway",
		roles: (await Promise.all(RBAC.map((file) => readFile(file, "utf8")))).join("---\n"),
		...options,
	});
	await emulator.start();
	const tokenFile = path.join(home, "token");
	await writeFile(tokenFile, "spillway\n", { mode: 0o600 });
	const folder = await mkdtemp(path.join(home, "volume-"));
	return {
		emulator,
		settings: {
			access: { server: emulator.url, tokenFile },
			namespace: "spillway",
			image: "busybox",
			accelerators: { "NVIDIA-H100-80GB-HBM3": "H100-80GB" },
			volume: { source: { hostPath: folder }, folder, mountPath: folder },
		},
		tokenFile,
		async stop() {
			await emulator.stop();
			await rm(home, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}
