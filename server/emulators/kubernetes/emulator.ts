import { Autoscaler, type EmulatedNodeGroup } from "./controllers/autoscaler.ts";
import { collectGarbage, syncJobs } from "./controllers/job-controller.ts";
import { recordEvent } from "./controllers/record-event.ts";
import { schedule } from "./controllers/scheduler.ts";
import { deleteObject } from "./deletion.ts";
import { ApiServer } from "./http/api-server.ts";
import { ApiFaults } from "./http/faults.ts";
import { Kubelet, type NodeShape } from "./kubelet/kubelet.ts";
import { type ApiObject, type JobObject, type NodeObject, type PodObject, RESOURCE_TYPES } from "./objects.ts";
import { grantsOf, type Identity } from "./rbac.ts";
import { Store } from "./store.ts";

const NODE_TOKEN = "nodes";
/** The minor version from which conditions contain why a pod is deleted. */
const REPORTS_DISRUPTION = 26;

export interface KubernetesEmulatorOptions {
	/** The emulated version, 1.<minor>: 20 or a current one. */
	minor: number;
	nodes: readonly NodeShape[];
	namespace: string;
	/** Permissions of the token `spillway`: roles as YAML. */
	roles: string;
	groups?: readonly string[];
	/** Nodes in addition to `nodes`, added when a pod needs them. */
	nodeGroup?: EmulatedNodeGroup;
	/** Undefined: a free one. */
	port?: number;
}

/**
 * A small Kubernetes on loopback: an API server in memory, a scheduler, a Job controller, a garbage collector, and nodes that run
 * commands as processes. Tokens: `admin` may do everything, `spillway` what the roles allow.
 */
export class KubernetesEmulator {
	readonly store = new Store();
	readonly faults = new ApiFaults();
	readonly server: ApiServer;
	readonly #tokens: Map<string, Identity>;
	readonly #minor: number;
	readonly #context: { quotaGpus: number | null };
	#kubelet: Kubelet | null = null;
	readonly #autoscaler: Autoscaler | null;
	readonly #options: KubernetesEmulatorOptions;
	#isDue = false;
	#isStopped = false;

	constructor(options: KubernetesEmulatorOptions) {
		this.#options = options;
		this.#minor = options.minor;
		this.#tokens = new Map<string, Identity>([
			["admin", { user: "admin", grants: null }],
			[NODE_TOKEN, { user: "system:nodes", grants: null }],
			["spillway", { user: "spillway", grants: grantsOf(options.roles) }],
		]);
		const context = {
			...{ store: this.store, isOld: options.minor < 21, quotaGpus: null as number | null, minor: options.minor },
			...{ groups: options.groups ?? [], tokens: this.#tokens, faults: this.faults, port: options.port ?? 0 },
		};
		this.#context = context;
		this.server = new ApiServer(context);
		this.#autoscaler = options.nodeGroup ? new Autoscaler(this.store, options.nodeGroup, () => this.#kubelet) : null;
		this.store.on("change", () => this.#wake());
	}

	get url(): string {
		return this.server.url;
	}

	async start(): Promise<void> {
		for (const name of ["default", "kube-node-lease", this.#options.namespace]) {
			const type = RESOURCE_TYPES.find((t) => t.kind === "Namespace");
			if (type) this.store.create(type, { apiVersion: "v1", kind: "Namespace", metadata: { name } } as ApiObject);
		}
		await this.server.open();
		const isMissing = (image: string) => image.startsWith("missing/");
		const reportsDisruption = this.#minor >= REPORTS_DISRUPTION;
		this.#kubelet = new Kubelet({ api: { url: this.url, token: NODE_TOKEN }, nodes: this.#options.nodes, isMissing, reportsDisruption });
		await this.#kubelet.start();
	}

	async stop(): Promise<void> {
		this.#isStopped = true;
		this.#autoscaler?.close();
		await this.#kubelet?.stop();
		await this.server.close();
	}

	/** Revokes the token, or makes it valid again. */
	setToken(token: string, isGood: boolean): void {
		if (isGood) this.#tokens.set(token, { user: "spillway", grants: grantsOf(this.#options.roles) });
		else this.#tokens.delete(token);
	}

	setQuota(gpus: number | null): void {
		this.#context.quotaGpus = gpus;
	}

	/** Creates an object as an administrator does. */
	create(plural: string, object: unknown): ApiObject {
		const type = RESOURCE_TYPES.find((t) => t.plural === plural);
		if (!type) throw new RangeError(`there are no ${plural}`);
		return this.store.create(type, object as ApiObject);
	}

	pods(): PodObject[] {
		return this.store.list<PodObject>("pods", this.#options.namespace);
	}

	jobs(): JobObject[] {
		return this.store.list<JobObject>("jobs", this.#options.namespace);
	}

	/** As `kubectl delete` does. */
	delete(plural: "jobs" | "pods", name: string, namespace = this.#options.namespace): void {
		const object = this.store.get(plural, namespace, name);
		if (object) deleteObject(this.store, plural, object, null);
	}

	suspend(name: string, isSuspended: boolean, namespace = this.#options.namespace): void {
		const job = this.store.get<JobObject>("jobs", namespace, name);
		if (job) this.store.update("jobs", { ...job, spec: { ...job.spec, suspend: isSuspended } } as JobObject);
	}

	/** The API evicts a pod, as for `kubectl drain`, or the scheduler preempts it. */
	disrupt(name: string, reason: "EvictionByEvictionAPI" | "PreemptionByScheduler" | "DeletionByTaintManager"): void {
		const pod = this.store.get<PodObject>("pods", this.#options.namespace, name);
		if (!pod) return;
		const condition = {
			type: "DisruptionTarget",
			status: "True",
			reason,
			message: "",
			lastTransitionTime: new Date().toISOString() as unknown as Date,
		};
		const disrupted = { ...pod, status: { ...pod.status, conditions: [...(pod.status.conditions ?? []), condition] } } as PodObject;
		deleteObject(this.store, "pods", this.#minor >= REPORTS_DISRUPTION ? this.store.update("pods", disrupted) : pod, null);
	}

	/** The node evicts a pod, for lack of memory. */
	evict(name: string): void {
		const message = "The node was low on resource: memory.";
		const pod = this.store.get<PodObject>("pods", this.#options.namespace, name);
		if (pod) recordEvent(this.store, pod, { type: "Warning", reason: "Evicted", message });
		this.#kubelet?.evict(this.#options.namespace, name, message);
	}

	/** The node disappears: after a timeout the server reports it and deletes its pods. */
	loseNode(name: string): void {
		this.#kubelet?.die(name);
		this.#updateNode(name, (node) => {
			const conditions = node.status.conditions?.map((c) =>
				c.type === "Ready" ? { ...c, status: "Unknown", reason: "NodeStatusUnknown" } : c,
			);
			const taints = [{ key: "node.kubernetes.io/unreachable", effect: "NoExecute" }];
			return { ...node, spec: { ...node.spec, taints }, status: { ...node.status, conditions } } as NodeObject;
		});
		for (const pod of this.pods()) if (pod.spec.nodeName === name) this.disrupt(pod.metadata.name, "DeletionByTaintManager");
	}

	cordon(name: string, isCordoned: boolean): void {
		this.#updateNode(name, (node) => ({ ...node, spec: { ...node.spec, unschedulable: isCordoned } }) as NodeObject);
	}

	taint(name: string, taints: { key: string; effect: string; value?: string }[]): void {
		this.#updateNode(name, (node) => ({ ...node, spec: { ...node.spec, taints } }) as NodeObject);
	}

	async setHealthyGpus(name: string, gpus: number): Promise<void> {
		await this.#kubelet?.setHealthyGpus(name, gpus);
	}

	#updateNode(name: string, change: (node: NodeObject) => NodeObject): void {
		const node = this.store.get<NodeObject>("nodes", null, name);
		if (node) this.store.update("nodes", change(node));
	}

	/** Controllers run together, after the change that woke them. */
	#wake(): void {
		if (this.#isDue || this.#isStopped) return;
		this.#isDue = true;
		setImmediate(() => {
			this.#isDue = false;
			syncJobs(this.store);
			collectGarbage(this.store);
			schedule(this.store);
			this.#autoscaler?.look();
		});
	}
}
