import path from "node:path";
import { z } from "zod";
import { siteMountsSchema, sourceFormOf } from "#server/domain/site-mount.ts";
import { cloudEndpointSchema } from "../cloud-endpoint.ts";
import { poolIdOf } from "./pool-id.ts";

const absolutePath = z.string().refine((p) => path.isAbsolute(p), "must be an absolute path");
const dnsLabel = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "holds lower-case letters, digits and - only, at most 63");
const labels = z.record(z.string().min(1), z.string());

/** Credentials are named, never held: nothing secret is in the database. */
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
	/** As the nodes' product label says it, and as in `accelerators`; `gpu` for nodes without one. */
	product: z.string().min(1),
	gpusPerNode: z.number().int().min(1).max(64),
	/** As many as the autoscaler may bring it to. */
	maxNodes: z.number().int().min(1).max(10_000),
	/** What pods ask for so that the autoscaler chooses this group, which its nodes have from their birth; default: the product. */
	labels: labels.default({}),
	/** The extended resource that its GPUs are; default: the first of `resources`. */
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
	/** The namespace in which jobs are made; one for each site. */
	namespace: dnsLabel,
	/**
	 * What the cluster's GPU products are called here: `{"NVIDIA-H100-80GB-HBM3": "H100-80GB"}`; `gpu` names GPUs of nodes
	 * without such a label. Products that are not named are looked up among the known models, and left out when unknown.
	 */
	accelerators: z.record(z.string().min(1), z.string().min(1)).default({}),
	productLabels: z.array(z.string().min(1)).min(1).default(PRODUCT_LABELS),
	/** Extended resources that are GPUs. */
	resources: z.array(z.string().min(1)).min(1).default(["nvidia.com/gpu", "amd.com/gpu"]),
	/** Groups of equal nodes that the cluster's autoscaler adds when a pod asks for one, and takes away: one for each pool. */
	nodeGroups: z
		.array(nodeGroupSchema)
		.default([])
		.refine((groups) => new Set(groups.map((g) => poolIdOf(g.product, g.gpusPerNode))).size === groups.length, {
			message: "names a product with as many GPUs twice: the nodes of a pool are one group",
		}),
	/** How long a pod may wait for a node of its group to come, until its attempt is withdrawn and the job placed again. */
	scaleUpMs: z.number().int().positive().default(900_000),
	/** Only nodes with these labels are used. */
	nodeSelector: labels.default({}),
	/** Taints that jobs tolerate; a node with another one that keeps pods off is unavailable. */
	tolerations: z.array(tolerationSchema).default([
		{ key: "nvidia.com/gpu", operator: "Exists" },
		{ key: "amd.com/gpu", operator: "Exists" },
	]),
	/** Kueue's LocalQueue that jobs are put into. */
	queue: dnsLabel.optional(),
	/** Namespaces from which Jobs of others may be adopted; each needs the rights of kubernetes-adoption-rbac.yaml. */
	adoptFrom: z.array(dnsLabel).default([]),
	/** The image of jobs that name none; without it such a job is refused. */
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
			/** The same volume on the host of Spillway's scheduler. It must be there: an unmounted one is no empty one. */
			folder: absolutePath,
			/** Where pods see it. */
			mountPath: absolutePath.default("/spillway"),
			/** File in the form of rclone.conf with what data are fetched by; the one of the whole Spillway counts without it. */
			dataRemotes: absolutePath.optional(),
		})
		.optional(),
	/** File systems that jobs request by name: an NFS export, a folder of every node, or a PersistentVolumeClaim of the namespace. */
	mounts: siteMountsSchema(["folder", "export", "claim"])
		.default([])
		.refine((mounts) => mounts.every(({ type, source }) => type !== "lustre" || sourceFormOf(source) !== "export"), {
			message: "has a lustre mount by its server, which pods cannot mount. Use pvc:NAME or a folder of the nodes",
		}),
	/** How long a command may go on after SIGTERM when the cluster itself ends its pod: eviction, preemption, drain. */
	evictionGraceSeconds: z.number().int().min(1).max(86_400).default(60),
	/** How long a pod may fail to get its image or its configuration until the attempt fails. */
	startProblemsMs: z.number().int().nonnegative().default(300_000),
	/** How long after its grace a pod on a node that does not answer is still believed to run. */
	nodeLostAfterMs: z.number().int().nonnegative().default(60_000),
	/** After it the outcome of a call is unknown. */
	answerTimeoutMs: z.number().int().positive().default(20_000),
	/** Objects in one page of a listing. */
	pageSize: z.number().int().positive().default(500),
});
export type KubernetesSettings = z.input<typeof kubernetesSettingsSchema>;
export type ParsedKubernetesSettings = z.output<typeof kubernetesSettingsSchema>;
