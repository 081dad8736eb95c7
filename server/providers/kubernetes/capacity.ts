import type { ClusterNode } from "#server/domain/cluster-node.ts";
import { DriverError } from "../driver-errors.ts";
import type { KubeCalls } from "./client.ts";
import { LABELS } from "./names.ts";
import { type KubeNode, type KubePod, nodeSchema, podSchema } from "./objects.ts";
import { clusterNodesOf, type KubePool, poolsOf, productsOf, type ResolveAccelerator } from "./pools.ts";
import { Reflector } from "./reflector.ts";
import type { ParsedKubernetesSettings } from "./settings.ts";

/** Nodes and everybody's pods, watched: what is free, and what of others waits. */
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

	/** Everybody else's pods that are not over. */
	async othersPods(): Promise<KubePod[]> {
		return [...(await this.#pods.items())].filter((p) => !this.#isOurs(p) && p.phase !== "Succeeded" && p.phase !== "Failed");
	}

	/**
	 * The pools with what is free of them after everybody's pods, and the nodes with what is used. Ours are given by the caller, who
	 * has just asked for them.
	 * @throws DriverError invalid_request when nothing there is of use: that is a mistake in the settings.
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
			`Kubernetes shows no GPUs that are of use. Its ${all.length} nodes have the products: ${products} ("gpu" stands for nodes without a product label). Name them in "accelerators" of the site, or correct its "nodeSelector" or "resources".`,
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

/** GPUs that bound pods hold, by node. A pod that is over holds none. */
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
