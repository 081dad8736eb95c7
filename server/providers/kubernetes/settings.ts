import path from "node:path";
import { z } from "zod";
import { siteCacheSchema } from "#server/domain/site-cache.ts";
import { siteMountsSchema, sourceFormOf } from "#server/domain/site-mount.ts";
import { cloudEndpointSchema } from "../cloud-endpoint.ts";
import { poolIdOf } from "./pool-id.ts";

const absolutePath = z.string().refine((p) => path.isAbsolute(p), "must be an absolute path");
const dnsLabel = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "must contain only lower-case letters, digits and -, at most 63");
const labels = z.record(z.string().min(1), z.string());

/** Settings name credentials and never contain them: the database stores no secrets. */
const accessSchema = z.union([
	z.strictObject({ kubeconfig: absolutePath, context: z.string().min(1).optional() }),
	z.strictObject({
		server: cloudEndpointSchema,
		tokenFile: absolutePath,
		/** The authority that signed the server's certificate; default: those that this host trusts. */
		caFile: absolutePath.optional(),
	}),
	/** Spillway's scheduler runs as a pod of this cluster, under its own service account. */
	z.strictObject({ inCluster: z.literal(true) }),
]);

const volumeSource = z.union([z.strictObject({ claim: dnsLabel }), z.strictObject({ hostPath: absolutePath })]);

const tolerationSchema = z.strictObject({
	key: z.string().min(1).optional(),
	operator: z.enum(["Exists", "Equal"]).default("Equal"),
	value: z.string().optional(),
	effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]).optional(),
});
export type Toleration = z.output<typeof tolerationSchema>;

const nodeGroupSchema = z.strictObject({
	/** The product, as in the nodes' label and in `accelerators`; `gpu` for nodes without one. */
	product: z.string().min(1),
	gpusPerNode: z.number().int().min(1).max(64),
	/** Maximum size to which the autoscaler may grow it. */
	maxNodes: z.number().int().min(1).max(10_000),
	/**
	 * Node selector that makes the autoscaler choose this group, from labels that its nodes have from the start; default: the
	 * product.
	 */
	labels: labels.default({}),
	/** The extended resource of its GPUs; default: the first of `resources`. */
	resource: z.string().min(1).optional(),
});

export type NodeGroup = z.output<typeof nodeGroupSchema>;

/** Labels that contain the GPU product; the first one on a node counts. */
const PRODUCT_LABELS = [
	"nvidia.com/gpu.product",
	"amd.com/gpu.product-name",
	"cloud.google.com/gke-accelerator",
	"karpenter.k8s.aws/instance-gpu-name",
	"k8s.amazonaws.com/accelerator",
];

export const kubernetesSettingsSchema = z.strictObject({
	access: accessSchema,
	/** The namespace in which jobs are created; one per site. */
	namespace: dnsLabel,
	/**
	 * Our names for the cluster's GPU products: `{"NVIDIA-H100-80GB-HBM3": "H100-80GB"}`; `gpu` stands for GPUs of nodes without such
	 * a label. Other products are looked up among the known models, and ignored if unknown.
	 */
	accelerators: z.record(z.string().min(1), z.string().min(1)).default({}),
	productLabels: z.array(z.string().min(1)).min(1).default(PRODUCT_LABELS),
	/** Extended resources that are GPUs. */
	resources: z.array(z.string().min(1)).min(1).default(["nvidia.com/gpu", "amd.com/gpu"]),
	/** Groups of equal nodes that the cluster's autoscaler adds when a pod needs one, and removes again: one per pool. */
	nodeGroups: z
		.array(nodeGroupSchema)
		.default([])
		.refine((groups) => new Set(groups.map((g) => poolIdOf(g.product, g.gpusPerNode))).size === groups.length, {
			message: "lists a product twice with the same number of GPUs; merge them into one group",
		}),
	/** How long a pod may wait for a node of its group before its attempt is withdrawn and the job placed again. */
	scaleUpMs: z.number().int().positive().default(900_000),
	/** Only nodes with these labels are used. */
	nodeSelector: labels.default({}),
	/** Taints that jobs tolerate. A node with any other taint that repels pods is unavailable. */
	tolerations: z.array(tolerationSchema).default([
		{ key: "nvidia.com/gpu", operator: "Exists" },
		{ key: "amd.com/gpu", operator: "Exists" },
	]),
	/** Node label with equal values on nodes that share a fast network. Gangs with `interconnect: high` stay within one value. */
	topologyKey: z.string().min(1).max(317).optional(),
	/** Kueue's LocalQueue for jobs. */
	queue: dnsLabel.optional(),
	/** Namespaces from which Jobs of others may be adopted; each needs the rights of kubernetes-adoption-rbac.yaml. */
	adoptFrom: z.array(dnsLabel).default([]),
	/** The image of jobs that name none; without it such a job is rejected. */
	image: z.string().min(1).optional(),
	imagePullSecrets: z.array(dnsLabel).default([]),
	serviceAccount: dnsLabel.optional(),
	priorityClass: dnsLabel.optional(),
	/** The user of commands; default: the image's user. */
	runAs: z.strictObject({ user: z.number().int().nonnegative(), group: z.number().int().nonnegative() }).optional(),
	/** A volume for data and checkpoints that this host sees too, at `folder`. */
	volume: z
		.strictObject({
			source: volumeSource,
			/**
			 * The same volume on the host of Spillway's scheduler. It must exist: an unmounted one must not be taken for an empty one.
			 */
			folder: absolutePath,
			/** Mount path in pods. */
			mountPath: absolutePath.default("/spillway"),
			/** File in the format of rclone.conf with the remotes for data; default: the one of this Spillway. */
			dataRemotes: absolutePath.optional(),
		})
		.optional(),
	/** Where fetched data is kept on this host, and how much. Default: in `volume.folder`, by age. */
	cache: siteCacheSchema.optional(),
	/** File systems that jobs request by name: an NFS export, a folder of every node, or a PersistentVolumeClaim of the namespace. */
	mounts: siteMountsSchema(["folder", "export", "claim"])
		.default([])
		.refine((mounts) => mounts.every(({ type, source }) => type !== "lustre" || sourceFormOf(source) !== "export"), {
			message: "has a lustre mount by its server, which pods cannot mount. Use pvc:NAME or a folder of the nodes",
		}),
	/** How long a command may run after SIGTERM when the cluster itself ends its pod: eviction, preemption, drain. */
	evictionGraceSeconds: z.number().int().min(1).max(86_400).default(60),
	/** How long a pod may fail to get its image or its configuration before the attempt fails. */
	startProblemsMs: z.number().int().nonnegative().default(300_000),
	/** How long after its grace period a pod on an unresponsive node is still assumed to run. */
	nodeLostAfterMs: z.number().int().nonnegative().default(60_000),
	/** Timeout of a call, after which its outcome is unknown. */
	answerTimeoutMs: z.number().int().positive().default(20_000),
	/** Objects per page of a listing. */
	pageSize: z.number().int().positive().default(500),
});
export type KubernetesSettings = z.input<typeof kubernetesSettingsSchema>;
export type ParsedKubernetesSettings = z.output<typeof kubernetesSettingsSchema>;
