import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Kubelet } from "#server/emulators/kubernetes/kubelet/kubelet.ts";

/**
 * Nodes for a Kubernetes control plane on this host, so that the driver can be tried on a real API server without a
 * container runtime: pods run as processes. See docs/providers/kubernetes.md.
 */
const USAGE =
	"kubernetes-nodes.ts --server https://127.0.0.1:6443 --token-file FILE [--nodes 2] [--gpus 4] [--adopt LABEL=VALUE] [--tls-key FILE --tls-cert FILE]";

try {
	const { values } = parseArgs({
		options: {
			server: { type: "string" },
			"token-file": { type: "string" },
			nodes: { type: "string", default: "2" },
			gpus: { type: "string", default: "4" },
			/** Nodes with this label that other programs create, such as cluster-autoscaler's kwok provider, are served too. */
			adopt: { type: "string" },
			"tls-key": { type: "string" },
			"tls-cert": { type: "string" },
		},
	});
	const { server, "token-file": tokenFile, "tls-key": key, "tls-cert": cert } = values;
	if (server === undefined || tokenFile === undefined) throw new Error(`usage: ${USAGE}`);
	if (!["127.0.0.1", "localhost"].includes(new URL(server).hostname))
		throw new Error(`${server} is not on this host; these nodes are for tests`);
	const labels = { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" };
	const gpus = Number(values.gpus);
	const [label, value] = values.adopt?.split("=") ?? [];
	if (values.adopt !== undefined && (!label || !value)) throw new Error(`--adopt ${values.adopt} is not LABEL=VALUE`);
	const kubelet = new Kubelet({
		api: { url: server, token: readFileSync(tokenFile, "utf8").trim() },
		nodes: Array.from({ length: Number(values.nodes) }, (_, i) => ({ name: `gpu-${i + 1}`, gpus, labels })),
		...(label && value ? { adopts: { label, value, gpus } } : {}),
		isMissing: (image) => image.startsWith("missing/"),
		...(key !== undefined && cert !== undefined ? { tls: { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") } } : {}),
	});
	await kubelet.start();
	process.stdout.write(`${values.nodes} nodes of ${values.gpus} GPUs are ready\n`);
	for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void kubelet.stop().then(() => process.exit(0)));
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
}
