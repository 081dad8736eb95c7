import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { V1Container, V1Node, V1Pod } from "@kubernetes/client-node";
import { Container } from "./container.ts";
import { expand } from "./expansion.ts";
import { serveLogs } from "./log-server.ts";
import { type ApiAddress, NodeApi } from "./node-api.ts";

const STRATEGIC = "application/strategic-merge-patch+json";
const MERGE = "application/merge-patch+json";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const HEARTBEAT_MS = 3_000;
/** How long the status is ImagePullBackOff between failed pulls. */
const PULL_BACK_OFF_MS = 20;

export interface NodeShape {
	name: string;
	gpus: number;
	labels?: Record<string, string>;
	resource?: string;
}

export interface KubeletOptions {
	api: ApiAddress;
	nodes: readonly NodeShape[];
	/**
	 * Nodes that something else creates, for example an autoscaler. Nodes with this label are served from when they appear until they
	 * are deleted.
	 */
	adopts?: { label: string; value: string } & Omit<NodeShape, "name" | "labels">;
	/** Images that the registry does not have. */
	isMissing?: (image: string) => boolean;
	tls?: { key: string; cert: string };
	/** Whether a pod's condition contains why it ends, as on servers from 1.26 on. */
	reportsDisruption?: boolean;
}

interface Running {
	pod: V1Pod;
	container: Container | null;
	folder: string | null;
	/** The current container state in the status. */
	state: Record<string, unknown>;
	phase: string;
	deadline: NodeJS.Timeout | null;
	killAtMs: number;
	stopping: boolean;
	over: boolean;
	evicted: { reason: string; message: string } | null;
}

/**
 * The nodes of a cluster on this host: they register, send heartbeats, and run the pods bound to them as processes. Like a real
 * kubelet: statuses and their order, grace periods, logs that disappear with a deleted pod, GPUs as numbers. Unlike one: no
 * images, no mounts (a volume is visible only at its own path of this host), no pod network.
 */
export class Kubelet {
	readonly #options: KubeletOptions;
	readonly #api: NodeApi;
	readonly #nodes: NodeShape[];
	readonly #pods = new Map<string, Running>();
	readonly #dead = new Set<string>();
	readonly #healthy = new Map<string, number>();
	#logs: { port: number; close(): void } | null = null;
	#timer: NodeJS.Timeout | null = null;

	constructor(options: KubeletOptions) {
		this.#options = options;
		this.#nodes = [...options.nodes];
		this.#api = new NodeApi(options.api);
	}

	async start(): Promise<void> {
		this.#logs = await serveLogs((namespace, pod) => this.#find(namespace, pod), this.#options.tls ?? null);
		for (const node of this.#nodes) await this.#register(node);
		const { adopts } = this.#options;
		if (adopts) {
			const path = `/api/v1/nodes?labelSelector=${encodeURIComponent(`${adopts.label}=${adopts.value}`)}`;
			void this.#api.follow(path, (type, object) => void this.#adopt(type, object as V1Node, adopts));
		}
		void this.#api.follow("/api/v1/pods", (type, object) => this.#take(type, object as V1Pod));
		this.#timer = setInterval(() => void this.#heartbeat(), HEARTBEAT_MS).unref();
	}

	async #adopt(type: string, { metadata }: V1Node, shape: Omit<NodeShape, "name">): Promise<void> {
		const name = metadata?.name ?? "";
		const at = this.#nodes.findIndex((node) => node.name === name);
		if (type === "DELETED" && at >= 0) {
			this.#nodes.splice(at, 1);
			for (const { pod, container } of this.#pods.values()) if (pod.spec?.nodeName === name) container?.kill();
			await this.#api.insist("DELETE", `${LEASES}/${name}`);
		} else if (type !== "DELETED" && at < 0) {
			// The node becomes ready only now, so that a pod bound to it in the meantime is found among its own.
			const node = { name, ...shape };
			this.#nodes.push(node);
			await this.#tellNode(node);
		}
	}

	/** Another node joins. */
	async join(node: NodeShape): Promise<void> {
		this.#nodes.push(node);
		await this.#register(node);
	}

	/** The node is released; nothing runs on it. */
	async leave(name: string): Promise<void> {
		this.#nodes.splice(
			this.#nodes.findIndex((n) => n.name === name),
			1,
		);
		await this.#api.insist("DELETE", `/api/v1/nodes/${name}`);
		await this.#api.insist("DELETE", `${LEASES}/${name}`);
	}

	/** Kills what runs. */
	async stop(): Promise<void> {
		if (this.#timer) clearInterval(this.#timer);
		this.#api.close();
		this.#logs?.close();
		for (const running of this.#pods.values()) {
			if (running.deadline) clearTimeout(running.deadline);
			running.container?.kill();
			if (running.folder) await rm(running.folder, { recursive: true, force: true });
		}
		this.#pods.clear();
	}

	/** The node loses its power: it sends nothing more, and what ran on it no longer exists. */
	die(name: string): void {
		this.#dead.add(name);
		for (const running of this.#pods.values()) if (running.pod.spec?.nodeName === name) running.container?.kill();
	}

	/** Sets how many of the node's GPUs work. */
	async setHealthyGpus(name: string, gpus: number): Promise<void> {
		this.#healthy.set(name, gpus);
		const node = this.#nodes.find((n) => n.name === name);
		if (node) await this.#api.insist("PATCH", `/api/v1/nodes/${name}/status`, this.#nodeStatus(node), STRATEGIC);
	}

	/** The node ends a pod on its own, for example for lack of memory. */
	evict(namespace: string, name: string, message: string): void {
		const running = this.#pods.get(`${namespace}/${name}`);
		if (!running || running.over) return;
		running.evicted = { reason: "Evicted", message };
		running.container?.kill();
	}

	#find(namespace: string, name: string): Container | null {
		return this.#pods.get(`${namespace}/${name}`)?.container ?? null;
	}

	async #register(node: NodeShape): Promise<void> {
		const { name, labels } = node;
		const metadata = { name, labels: { "kubernetes.io/hostname": name, ...labels } };
		await this.#api.insist("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata });
		await this.#tellNode(node);
	}

	/** Updates the node's status and heartbeat. */
	async #tellNode(node: NodeShape): Promise<void> {
		const { name } = node;
		await this.#api.insist("PATCH", `/api/v1/nodes/${name}/status`, this.#nodeStatus(node), STRATEGIC);
		const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime() };
		const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace: "kube-node-lease" }, spec };
		await this.#api.insist("POST", LEASES, lease);
	}

	#nodeStatus({ name, gpus, resource = "nvidia.com/gpu" }: NodeShape): unknown {
		const plain = { cpu: "64", memory: "512Gi", pods: "110", "ephemeral-storage": "1000Gi" };
		const capacity = { ...plain, [resource]: String(gpus) };
		const allocatable = { ...plain, [resource]: String(this.#healthy.get(name) ?? gpus) };
		const at = now();
		const conditions = [
			{ type: "Ready", status: "True", reason: "KubeletReady", message: "", lastHeartbeatTime: at, lastTransitionTime: at },
		];
		const addresses = [
			{ type: "InternalIP", address: "127.0.0.1" },
			{ type: "Hostname", address: "127.0.0.1" },
		];
		return {
			status: { capacity, allocatable, conditions, addresses, daemonEndpoints: { kubeletEndpoint: { Port: this.#logs?.port ?? 0 } } },
		};
	}

	async #heartbeat(): Promise<void> {
		for (const { name } of this.#nodes) {
			if (!this.#dead.has(name))
				await this.#api.call("PATCH", `${LEASES}/${name}`, { spec: { renewTime: microTime() } }, MERGE).catch(() => null);
		}
	}

	#take(type: string, pod: V1Pod): void {
		const node = pod.spec?.nodeName;
		const key = `${pod.metadata?.namespace}/${pod.metadata?.name}`;
		if (!node || !this.#nodes.some((n) => n.name === node) || this.#dead.has(node)) return;
		const known = this.#pods.get(key);
		if (known && known.pod.metadata?.uid === pod.metadata?.uid) {
			known.pod = pod;
			if (type === "DELETED") void this.#drop(key, known);
			else if (pod.metadata?.deletionTimestamp) this.#end(known, key);
			return;
		}
		const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
		if (type === "DELETED" || isOver) return;
		const running: Running = {
			...{ pod, container: null, folder: null, state: {}, phase: "Pending", deadline: null },
			...{ killAtMs: Number.POSITIVE_INFINITY, stopping: false, over: false, evicted: null },
		};
		this.#pods.set(key, running);
		void this.#run(running, key);
	}

	async #run(running: Running, key: string): Promise<void> {
		const spec = running.pod.spec?.containers[0];
		if (!spec) return;
		await this.#tell(running, "Pending", { waiting: { reason: "ContainerCreating" } });
		if (this.#options.isMissing?.(spec.image ?? "")) return this.#failToPull(running, spec.image ?? "");
		if (running.pod.metadata?.deletionTimestamp) return this.#end(running, key);
		running.folder = await mkdtemp(path.join(tmpdir(), "spillway-pod-"));
		const container = new Container();
		running.container = container;
		const exited = new Promise<void>((resolve) => container.once("exit", resolve));
		try {
			const env = { ...environmentOf(running.pod, spec, running.folder), ...(await this.#secretVariables(running.pod, spec)) };
			const command = [...(spec.command ?? []), ...(spec.args ?? [])].map((word) => expand(word, env));
			await container.start(command, { cwd: workingFolderOf(running.pod, spec) ?? running.folder, env });
		} catch (error) {
			const message = `failed to create containerd task: failed to create shim task: OCI runtime create failed: ${String(error)}`;
			const terminated = { exitCode: 128, reason: "StartError", message, startedAt: "1970-01-01T00:00:00Z", finishedAt: now() };
			running.over = true;
			await this.#tell(running, "Failed", { terminated });
			return this.#confirm(running, key);
		}
		const startedAt = now();
		// Reported once. The end must be reported after this.
		const reported = this.#tell(running, "Running", { running: { startedAt } });
		if (running.pod.metadata?.deletionTimestamp) this.#end(running, key);
		await Promise.all([reported, exited]);
		if (this.#dead.has(running.pod.spec?.nodeName ?? "")) return;
		running.over = true;
		const exitCode = container.exitCode ?? 0;
		const reason = exitCode === 0 ? "Completed" : "Error";
		await this.#tell(running, exitCode === 0 ? "Succeeded" : "Failed", { terminated: { exitCode, reason, startedAt, finishedAt: now() } });
		await this.#confirm(running, key);
	}

	async #secretVariables({ metadata }: V1Pod, { env = [] }: V1Container): Promise<Record<string, string>> {
		const found: Record<string, string> = {};
		for (const { name, valueFrom } of env) {
			const ref = valueFrom?.secretKeyRef;
			if (!ref) continue;
			const { body } = await this.#api.call("GET", `/api/v1/namespaces/${metadata?.namespace}/secrets/${ref.name}`);
			const value = (body as { data?: Record<string, string> } | null)?.data?.[ref.key];
			if (value === undefined) throw new Error(`secret ${JSON.stringify(ref.name)} not found`);
			found[name] = Buffer.from(value, "base64").toString("utf8");
		}
		return found;
	}

	async #failToPull(running: Running, image: string): Promise<void> {
		const message = `failed to pull and unpack image "${image}": not found`;
		await this.#tell(running, "Pending", { waiting: { reason: "ErrImagePull", message } });
		await new Promise((resolve) => setTimeout(resolve, PULL_BACK_OFF_MS));
		if (!running.over)
			await this.#tell(running, "Pending", { waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` } });
	}

	/** Sends SIGTERM once, and SIGKILL at the end of the grace period, which may be shortened. */
	#end(running: Running, key: string): void {
		if (running.over) return void this.#confirm(running, key);
		if (!running.container) {
			running.over = true;
			void this.#tell(running, "Failed", running.state).then(() => this.#confirm(running, key));
			return;
		}
		if (!running.stopping) running.container.terminate();
		const graceMs = (running.pod.metadata?.deletionGracePeriodSeconds ?? 30) * 1_000;
		const killAtMs = Math.min(running.killAtMs, Date.now() + graceMs);
		running.stopping = true;
		if (killAtMs >= running.killAtMs) return;
		running.killAtMs = killAtMs;
		if (running.deadline) clearTimeout(running.deadline);
		running.deadline = setTimeout(() => running.container?.kill(), graceMs);
	}

	/** The container of a deleted pod is removed with its log; then the server may delete the pod. */
	async #confirm(running: Running, key: string): Promise<void> {
		const { metadata } = running.pod;
		if (!metadata?.deletionTimestamp || metadata.deletionGracePeriodSeconds === 0) return;
		running.container = null;
		const body = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } };
		await this.#api.insist("DELETE", `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`, body);
		await this.#drop(key, running);
	}

	async #drop(key: string, running: Running): Promise<void> {
		if (running.deadline) clearTimeout(running.deadline);
		running.container?.kill();
		if (this.#pods.get(key) === running && running.over) this.#pods.delete(key);
		if (running.folder) await rm(running.folder, { recursive: true, force: true });
	}

	async #tell(running: Running, phase: string, state: Record<string, unknown>): Promise<void> {
		const { metadata, spec } = running.pod;
		if (this.#dead.has(spec?.nodeName ?? "")) return;
		running.phase = phase;
		running.state = state;
		const container = spec?.containers[0];
		const ready = "running" in state;
		// A patch keeps fields that it does not contain.
		const whole = { waiting: null, running: null, terminated: null, ...state };
		const containerStatuses = [{ name: container?.name, image: container?.image, imageID: "", ready, restartCount: 0, state: whole }];
		const disrupted = {
			type: "DisruptionTarget",
			status: "True",
			reason: "TerminationByKubelet",
			message: running.evicted?.message,
			lastTransitionTime: now(),
		};
		const conditions = [
			{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: now() },
			...(running.evicted && this.#options.reportsDisruption ? [disrupted] : []),
		];
		const status = {
			phase,
			startTime: running.pod.status?.startTime ?? now(),
			hostIP: "127.0.0.1",
			podIP: "127.0.0.1",
			conditions,
			containerStatuses,
		};
		const path = `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}/status`;
		await this.#api.insist("PATCH", path, { status: { ...status, ...(running.evicted ?? {}) } }, STRATEGIC);
	}
}

/** The PATH that a real pod gets from its image. Nothing else of this host is inherited. */
const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The container's working folder if it is in a volume of this host; null otherwise, because other volumes are not emulated. */
function workingFolderOf({ spec }: V1Pod, { workingDir, volumeMounts = [] }: V1Container): string | null {
	if (workingDir === undefined || !existsSync(workingDir)) return null;
	const onHost = new Set((spec?.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name));
	const isMounted = volumeMounts.some(({ name, mountPath }) => onHost.has(name) && `${workingDir}/`.startsWith(`${mountPath}/`));
	return isMounted ? workingDir : null;
}

function environmentOf({ metadata, spec }: V1Pod, container: V1Container, folder: string): Record<string, string> {
	const env: Record<string, string> = {
		PATH: SYSTEM_PATH,
		HOME: folder,
		HOSTNAME: spec?.hostname ?? metadata?.name ?? "",
	};
	for (const { name, value, valueFrom } of container.env ?? []) {
		const annotation = /^metadata\.annotations\['(.+)'\]$/.exec(valueFrom?.fieldRef?.fieldPath ?? "")?.[1];
		env[name] = annotation === undefined ? expand(value ?? "", env) : (metadata?.annotations?.[annotation] ?? "");
	}
	return env;
}

function now(): string {
	return `${new Date().toISOString().slice(0, 19)}Z`;
}

function microTime(): string {
	return new Date().toISOString().replace("Z", "000Z");
}
