import type { ClusterNode } from "#server/domain/cluster-node.ts";
import { DriverError } from "../driver-errors.ts";
import type { PoolNodes } from "../pool-slots.ts";
import type { KubeNode } from "./objects.ts";
import { poolIdOf } from "./pool-id.ts";
import type { NodeGroup, ParsedKubernetesSettings, Toleration } from "./settings.ts";

/** Equal nodes: the same GPU product and number of GPUs. */
export interface KubePool {
	/** `<product>x<GPUs of a node>` in lower case, e.g. `nvidia-h100-80gb-hbm3x8`. It does not change when nodes are added. */
	id: string;
	accelerator: string;
	/** The extended resource of its GPUs. */
	resource: string;
	gpusPerNode: number;
	/** Labels of its nodes that a job selects, so that it runs on them. */
	selector: Record<string, string>;
	/** Existing nodes. */
	nodes: { name: string; freeGpus: number }[];
	/** How many more nodes the cluster's autoscaler adds when pods need them. */
	nodesToCome: number;
}

/** GPUs held by pods, by node and resource. */
type UsedGpus = ReadonlyMap<string, ReadonlyMap<string, number>>;
type PoolSettings = Pick<
	ParsedKubernetesSettings,
	"accelerators" | "productLabels" | "resources" | "nodeSelector" | "tolerations" | "nodeGroups"
>;
/** The one model that a product name matches, or null. */
export type ResolveAccelerator = (product: string) => string | null;

/** Stands for GPUs of nodes that do not report their product. */
const UNLABELLED = "gpu";

/**
 * The pools of the nodes in use and of groups that can add nodes. A node with failed GPUs keeps its place with fewer free ones:
 * its `capacity` includes all of them and its `allocatable` only the healthy ones.
 * @param used GPUs held by pods of others, by node and resource
 * @throws DriverError invalid_request if a group has no known model
 */
export function poolsOf(nodes: Iterable<KubeNode>, used: UsedGpus, settings: PoolSettings, resolve: ResolveAccelerator): KubePool[] {
	const pools = new Map<string, KubePool>();
	const groups = new Map(settings.nodeGroups.map((group) => [poolIdOf(group.product, group.gpusPerNode), group]));
	const modelOf = (product: string) => settings.accelerators[product] ?? (product === UNLABELLED ? null : resolve(product));
	for (const node of [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1))) {
		const gpus = gpusOfNode(node, settings);
		const accelerator = gpus && modelOf(gpus.product);
		if (!gpus || !accelerator || !hasLabels(node, settings.nodeSelector)) continue;
		const { resource, count, label, product } = gpus;
		const id = poolIdOf(product, count);
		const own = groups.get(id)?.labels ?? {};
		const selector = { ...settings.nodeSelector, ...(isEmpty(own) && label !== null ? { [label]: product } : own) };
		const pool = pools.get(id) ?? { id, accelerator, resource, gpusPerNode: count, selector, nodes: [], nodesToCome: 0 };
		pools.set(id, pool);
		const free = Math.min(count, node.allocatable.get(resource) ?? 0) - (used.get(node.name)?.get(resource) ?? 0);
		const takesPods = standingOf(node, settings.tolerations).state === "ready" && hasLabels(node, own);
		pool.nodes.push({ name: node.name, freeGpus: takesPods ? Math.max(0, free) : 0 });
	}
	for (const [id, group] of groups) {
		const pool = pools.get(id) ?? emptyPool(id, group, settings, modelOf(group.product));
		pools.set(id, pool);
		pool.nodesToCome = Math.max(0, group.maxNodes - pool.nodes.length);
	}
	return [...pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function emptyPool(
	id: string,
	{ product, gpusPerNode, labels, resource }: NodeGroup,
	{ nodeSelector, productLabels, resources }: PoolSettings,
	accelerator: string | null,
): KubePool {
	if (accelerator === null) {
		const what = `unknown product ${JSON.stringify(product)} in "nodeGroups" of the site`;
		throw new DriverError("invalid_request", `${what}. Map it to a model in "accelerators".`);
	}
	const [label = ""] = productLabels;
	const selector = { ...nodeSelector, ...(isEmpty(labels) && product !== UNLABELLED ? { [label]: product } : labels) };
	return { id, accelerator, resource: resource ?? resources[0] ?? "", gpusPerNode, selector, nodes: [], nodesToCome: 0 };
}

/** Existing nodes, followed by those that would be added, with all of their GPUs free, or none while no node can be added. */
export function withNodesToCome(pool: KubePool, { noneComes }: { noneComes: boolean }): PoolNodes {
	const coming = Array.from({ length: pool.nodesToCome }, () => ({ freeGpus: noneComes ? 0 : pool.gpusPerNode }));
	return { ...pool, nodes: [...pool.nodes, ...coming], noneComes };
}

function isEmpty(labels: Readonly<Record<string, string>>): boolean {
	return Object.keys(labels).length === 0;
}

/** The GPU products of the cluster, for users who must map them in the settings. */
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

/** Every node with GPUs and its status, with the cluster's own message if it has one. */
export function clusterNodesOf(
	nodes: Iterable<KubeNode>,
	used: UsedGpus,
	settings: PoolSettings,
	pools: readonly KubePool[],
): ClusterNode[] {
	const poolOf = new Map(pools.flatMap((pool) => pool.nodes.map(({ name }) => [name, pool.id] as const)));
	return [...nodes].flatMap((node) => {
		const gpus = gpusOfNode(node, settings);
		if (!gpus) return [];
		const { resource, count } = gpus;
		const healthy = Math.min(count, node.allocatable.get(resource) ?? 0);
		const failed = healthy < count ? `${healthy} of its ${count} GPUs ${healthy === 1 ? "is" : "are"} healthy` : null;
		const { state, reason } = standingOf(node, settings.tolerations);
		const says = [reason, failed].filter((part) => part !== null).join("; ");
		return {
			...{ name: node.name, poolId: poolOf.get(node.name) ?? null, reason: says || null },
			state: state === "ready" && healthy === 0 ? "down" : state,
			...{ gpus: count, gpusUsed: used.get(node.name)?.get(resource) ?? 0 },
		};
	});
}

/** Whether our new pods can use a node, and why not. */
function standingOf(node: KubeNode, tolerations: readonly Toleration[]): Pick<ClusterNode, "state" | "reason"> {
	if (!node.ready) return { state: "down", reason: ["not ready", node.notReadyWhy].filter(Boolean).join(": ") };
	if (node.cordoned) return { state: "closed", reason: "cordoned" };
	const taint = node.taints.find((t) => t.effect !== "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, t)));
	if (!taint) return { state: "ready", reason: null };
	return { state: "closed", reason: `taint ${taint.key}${taint.value === "" ? "" : `=${taint.value}`}:${taint.effect}` };
}

function tolerates(toleration: Toleration, taint: KubeNode["taints"][number]): boolean {
	if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
	if (toleration.key === undefined) return toleration.operator === "Exists";
	if (toleration.key !== taint.key) return false;
	return toleration.operator === "Exists" || (toleration.value ?? "") === taint.value;
}
