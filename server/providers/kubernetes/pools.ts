import type { KubeNode } from "./objects.ts";
import type { ParsedKubernetesSettings, Toleration } from "./settings.ts";

/** Equal nodes: the same product of GPU, as many of them. */
export interface KubePool {
	/** `<product>x<GPUs of a node>` in lower case, e.g. `nvidia-h100-80gb-hbm3x8`: it stays the same when other nodes come. */
	id: string;
	accelerator: string;
	/** The extended resource that its GPUs are. */
	resource: string;
	gpusPerNode: number;
	/** Labels that its nodes have and that a job asks for, so that it lands on them. */
	selector: Record<string, string>;
	nodes: { name: string; freeGpus: number }[];
}

type PoolSettings = Pick<ParsedKubernetesSettings, "accelerators" | "productLabels" | "resources" | "nodeSelector" | "tolerations">;
/** The one model that a product's name means, or null. */
export type ResolveAccelerator = (product: string) => string | null;

/** Stands for GPUs of nodes that do not tell their product. */
const UNLABELLED = "gpu";

/**
 * The pools of the nodes that are used. A node whose GPUs failed keeps its place with fewer free ones: its `capacity` has
 * all of them and its `allocatable` only the healthy.
 * @param used GPUs that pods of others have, by node and resource.
 */
export function poolsOf(
	nodes: Iterable<KubeNode>,
	used: ReadonlyMap<string, ReadonlyMap<string, number>>,
	settings: PoolSettings,
	resolve: ResolveAccelerator,
): KubePool[] {
	const pools = new Map<string, KubePool>();
	for (const node of [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1))) {
		const gpus = gpusOfNode(node, settings);
		const accelerator = gpus && (settings.accelerators[gpus.product] ?? (gpus.product === UNLABELLED ? null : resolve(gpus.product)));
		if (!gpus || !accelerator || !hasLabels(node, settings.nodeSelector)) continue;
		const { resource, count, label, product } = gpus;
		const id = `${slug(product)}x${count}`;
		const selector = { ...settings.nodeSelector, ...(label === null ? {} : { [label]: product }) };
		const pool = pools.get(id) ?? { id, accelerator, resource, gpusPerNode: count, selector, nodes: [] };
		pools.set(id, pool);
		const free = Math.min(count, node.allocatable.get(resource) ?? 0) - (used.get(node.name)?.get(resource) ?? 0);
		pool.nodes.push({ name: node.name, freeGpus: whyUnusable(node, settings.tolerations) === null ? Math.max(0, free) : 0 });
	}
	return [...pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What the cluster's GPU products are called there, for whoever has to name them here. */
export function productsOf(nodes: Iterable<KubeNode>, settings: PoolSettings): string[] {
	const products = [...nodes].map((n) => gpusOfNode(n, settings)?.product).filter((p) => p !== undefined);
	return [...new Set(products)].sort();
}

function gpusOfNode(
	node: KubeNode,
	{ resources, productLabels }: PoolSettings,
): { resource: string; count: number; label: string | null; product: string } | null {
	const resource = resources.find((r) => (node.capacity.get(r) ?? 0) > 0);
	if (resource === undefined) return null;
	const label = productLabels.find((l) => node.labels[l]) ?? null;
	return { resource, count: node.capacity.get(resource) ?? 0, label, product: label === null ? UNLABELLED : (node.labels[label] ?? "") };
}

function hasLabels(node: KubeNode, wanted: Readonly<Record<string, string>>): boolean {
	return Object.entries(wanted).every(([key, value]) => node.labels[key] === value);
}

/** Why new pods of ours do not come onto a node, or null. */
function whyUnusable(node: KubeNode, tolerations: readonly Toleration[]): string | null {
	if (!node.ready) return "it is not ready";
	if (node.cordoned) return "it is cordoned";
	const taint = node.taints.find((t) => t.effect !== "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, t)));
	return taint ? `it has the taint ${taint.key}` : null;
}

function tolerates(toleration: Toleration, taint: KubeNode["taints"][number]): boolean {
	if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
	if (toleration.key === undefined) return toleration.operator === "Exists";
	if (toleration.key !== taint.key) return false;
	return toleration.operator === "Exists" || (toleration.value ?? "") === taint.value;
}

function slug(text: string): string {
	return text
		.toLowerCase()
		.replaceAll(/[^a-z0-9.]+/g, "-")
		.replaceAll(/^-+|-+$/g, "");
}
