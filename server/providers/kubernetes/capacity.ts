import type { ClusterNode } from "#server/domain/cluster-node.ts";
import { DriverError } from "../driver-errors.ts";
import type { KubeCalls } from "./client.ts";
import { LABELS } from "./names.ts";
import { type KubeNode, type KubePod, nodeSchema, podSchema } from "./objects.ts";
import { clusterNodesOf, type KubePool, poolsOf, productsOf, type ResolveAccelerator } from "./pools.ts";
import { Reflector } from "./reflector.ts";
import type { ParsedKubernetesSettings } from "./settings.ts";

/** Watches nodes and all pods: which GPUs are free, and which pods of others are waiting. */
export class Capacity {
	readonly #settings: ParsedKubernetesSettings;
	readonly #siteLabel: string;
	readonly #resolve: ResolveAccelerator;
	readonly #nodes: Reflector<typeof nodeSchema, KubeNode>;
	readonly #pods: Reflector<typeof podSchema, KubePod>;

	constructor(
		calls: KubeCalls,
		options: {
			settings: ParsedKubernetesSettings;
			siteLabel: string;
			resolve: ResolveAccelerator;
			onOurs: (pod: KubePod) => void;
			onNode: () => void;
		},
	) {
		const { settings, siteLabel, resolve, onOurs, onNode } = options;
		this.#settings = settings;
		this.#siteLabel = siteLabel;
		this.#resolve = resolve;
		this.#nodes = new Reflector(calls, { path: "/api/v1/nodes", schema: nodeSchema, key: (n) => n.name, onChange: onNode });
		this.#pods = new Reflector(calls, {
			path: "/api/v1/pods",
			schema: podSchema,
			key: (p) => `${p.namespace}/${p.name}`,
			onChange: (pod) => {
				if (this.#isOurs(pod)) onOurs(pod);
			},
		});
	}

	/** Nodes by name, ready or not. */
	async nodes(): Promise<Map<string, KubeNode>> {
		return new Map([...(await this.#nodes.items())].map((n) => [n.name, n]));
	}

	/** Pods of others that have not ended. */
	async othersPods(): Promise<KubePod[]> {
		return [...(await this.#pods.items())].filter((p) => !this.#isOurs(p) && p.phase !== "Succeeded" && p.phase !== "Failed");
	}

	/**
	 * The pools with their free GPUs after all pods, and the nodes with their use. The caller passes our own pods, which it has just
	 * read.
	 * @throws DriverError invalid_request if the cluster has no usable node, which means that the settings are wrong
	 */
	async pools(ours: readonly KubePod[]): Promise<{ pools: KubePool[]; nodes: ClusterNode[] }> {
		const [nodes, others] = await Promise.all([this.#nodes.items(), this.othersPods()]);
		const all = [...nodes];
		const used = usedBy([...others, ...ours]);
		const pools = poolsOf(all, used, this.#settings, this.#resolve);
		if (pools.length > 0) return { pools, nodes: clusterNodesOf(all, used, this.#settings, pools) };
		const products = productsOf(all, this.#settings).join(", ") || "none";
		throw new DriverError(
			"invalid_request",
			`Kubernetes has no usable GPUs. Products of its ${all.length} nodes: ${products} ("gpu" means nodes without a product label). Add them to "accelerators" in the site's settings, or correct "nodeSelector" or "resources".`,
		);
	}

	close(): void {
		this.#nodes.close();
		this.#pods.close();
	}

	#isOurs(pod: KubePod): boolean {
		return pod.namespace === this.#settings.namespace && pod.labels[LABELS.site] === this.#siteLabel;
	}
}

/** GPUs held by bound pods, by node. A pod that has ended holds none. */
function usedBy(pods: readonly KubePod[]): Map<string, Map<string, number>> {
	const used = new Map<string, Map<string, number>>();
	for (const { node, asks, phase } of pods) {
		if (node === null || phase === "Succeeded" || phase === "Failed") continue;
		const here = used.get(node) ?? new Map<string, number>();
		used.set(node, here);
		for (const [resource, count] of asks) here.set(resource, (here.get(resource) ?? 0) + count);
	}
	return used;
}
