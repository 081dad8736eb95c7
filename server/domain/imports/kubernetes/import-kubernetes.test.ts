import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJobDocument } from "../../job-file.ts";
import type { ImportContext, Imported } from "../types.ts";
import { importKubernetes } from "./import-kubernetes.ts";

const CONTEXT: ImportContext = {
	team: "research",
	teams: ["research", "risk"],
	acceleratorsNamed: (word) => ({ h100: ["H100-80GB"], a100: ["A100-80GB"], "nvidia-tesla-a100": ["A100-40GB"] })[word.toLowerCase()] ?? [],
	zoneOffsetMinutes: 0,
	email: null,
	nowMs: 0,
};
const read = (text: string): Imported => importKubernetes(text, CONTEXT);
const said = ({ findings }: Imported) => findings.map((f) => `${f.line} ${f.kind} ${f.subject}`);
const specOf = (imported: Imported) => parseJobDocument(imported.documents[0]);
const questions = (imported: Imported) => imported.findings.filter((f) => f.kind === "question").map((f) => f.subject);

const JOB = `apiVersion: batch/v1
kind: Job
metadata:
  name: fraud-v7
  namespace: risk
  labels: { kueue.x-k8s.io/queue-name: gpu }
spec:
  activeDeadlineSeconds: 43200
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3
      containers:
        - name: train
          image: ghcr.io/acme/train:1.2
          command: [python, train.py]
          args: ["--epochs", "10"]
          env:
            - { name: SEED, value: "7" }
            - name: TOKEN
              valueFrom: { secretKeyRef: { name: hf, key: token } }
          resources:
            limits: { nvidia.com/gpu: 8, memory: 900Gi }
            requests: { cpu: "95500m" }
          volumeMounts: [{ name: claims, mountPath: /data }]
      volumes:
        - name: claims
          persistentVolumeClaim: { claimName: claims }
        - { name: dshm, emptyDir: { medium: Memory } }
`;

describe("a Job", () => {
	const imported = read(JOB);
	it("becomes a job that the job file accepts", () => {
		expect(specOf(imported)).toMatchObject({
			...{ name: "fraud-v7", team: "risk", nodes: 1, image: "ghcr.io/acme/train:1.2" },
			...{ command: ["python", "train.py", "--epochs", "10"], env: { SEED: "7" }, labels: { "kueue.x-k8s.io.queue-name": "gpu" } },
			resources: { gpus: 8, accelerators: ["H100-80GB"], cpus: 96, memoryGiB: 900 },
			duration: { maxMs: 12 * 3_600_000 },
		});
	});
	it("reports every line with its number", () => {
		expect(said(imported)).toEqual([
			"2 carried Job",
			"4 carried Name fraud-v7",
			"5 carried Team risk",
			"6 changed Label kueue.x-k8s.io/queue-name",
			"8 changed Time limit 43200 s",
			"9 dropped Retries",
			"12 changed Restart Never",
			"14 carried On H100-80GB",
			"17 carried Image ghcr.io/acme/train:1.2",
			"18 carried Command",
			"19 carried Arguments",
			"21 carried Environment SEED",
			"22 question Environment TOKEN",
			"25 carried 8 GPUs",
			"25 carried 900 GiB of memory",
			"26 carried 96 CPUs",
			"27 dropped Mounts",
			"29 question Volume claims",
			"31 dropped Volume dshm",
		]);
	});
	it("with as many completions as parallel pods becomes one job with that many nodes", () => {
		const gang = read(JOB.replace("  backoffLimit: 3", "  completions: 4\n  parallelism: 4\n  completionMode: Indexed"));
		expect(specOf(gang).nodes).toBe(4);
		const queue = read(JOB.replace("  backoffLimit: 3", "  completions: 40\n  parallelism: 4"));
		expect(questions(queue)).toEqual(expect.arrayContaining(["40 completions", "4 at a time"]));
	});
	it("reports unknown fields at the highest level", () => {
		const odd = read(JOB.replace("  backoffLimit: 3", "  newThing: { a: 1, b: [2, 3] }"));
		expect(questions(odd)).toContain("spec.newThing");
	});
});

describe("other workloads", () => {
	it("a PyTorchJob with equal replicas becomes one job with all its nodes", () => {
		const pod =
			"{ spec: { containers: [{ name: pytorch, image: acme/t, command: [torchrun, t.py], resources: { limits: { nvidia.com/gpu: 8 } } }] } }";
		const imported = read(`kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata: { name: llm }
spec:
  nprocPerNode: "8"
  pytorchReplicaSpecs:
    Master: { replicas: 1, restartPolicy: OnFailure, template: ${pod} }
    Worker: { replicas: 3, restartPolicy: OnFailure, template: ${pod} }
`);
		expect(specOf(imported)).toMatchObject({ nodes: 4, resources: { gpus: 8 }, env: { PET_NPROC_PER_NODE: "8" }, team: "research" });
		expect(questions(imported)).toEqual([]);
	});
	it("a TrainJob reports its runtime as missing", () => {
		const imported = read(`kind: TrainJob
apiVersion: trainer.kubeflow.org/v1alpha1
metadata: { name: llm }
spec:
  runtimeRef: { name: torch-distributed }
  trainer: { image: acme/t, command: [torchrun, t.py], numNodes: 2, numProcPerNode: 4, resourcesPerNode: { requests: { nvidia.com/gpu: 4 } } }
`);
		expect(specOf(imported)).toMatchObject({ nodes: 2, resources: { gpus: 4 } });
		expect(questions(imported)).toEqual(["Runtime torch-distributed"]);
	});
	it("a JobSet with one kind of job becomes that job, times its replicas", () => {
		const imported = read(`kind: JobSet
apiVersion: jobset.x-k8s.io/v1alpha2
metadata: { name: set }
spec:
  replicatedJobs:
    - name: workers
      replicas: 2
      template:
        spec:
          parallelism: 2
          completions: 2
          template: { spec: { containers: [{ name: a, image: acme/t, command: [a], resources: { limits: { nvidia.com/gpu: 1 } } }] } }
`);
		expect(specOf(imported).nodes).toBe(4);
	});
	it("several documents become several jobs, and other kinds are reported", () => {
		const imported = read(`${JOB}---\nkind: ConfigMap\nmetadata: { name: c }\n---\n${JOB.replace("fraud-v7", "fraud-v8")}`);
		expect(imported.documents.map((d) => d.metadata.name)).toEqual(["fraud-v7", "fraud-v8"]);
		expect(said(imported)).toContain("33 question ConfigMap");
		expect(said(imported)).toContain("39 carried Name fraud-v8");
	});
});

describe("bad input", () => {
	it("is reported with its line", () => {
		expect(() => read("kind: Job\nmetadata: {\n")).toThrow("cannot be read at line 3");
		expect(() => read("# nothing\n")).toThrow("no workload");
		expect(() => read("kind: PyTorchJob\nspec: {}\n")).toThrow("no replicas");
		expect(() => read("x".repeat(300_000))).toThrow("at most");
		expect(() => read("---\nkind: Job\n".repeat(9_000))).toThrow("cannot be read at line 999: more than 500 documents");
	});
	it("reports any added field", () => {
		const key = fc.stringMatching(/^[a-z][A-Za-z]{2,10}$/);
		fc.assert(
			fc.property(key, fc.constantFrom("  ", "      ", "          "), (name, indent) => {
				const lines = JOB.split("\n");
				const at = { "  ": 7, "      ": 11, "          ": 16 }[indent] ?? 7;
				lines.splice(at, 0, `${indent}${name}: 1`);
				const text = lines.join("\n");
				let imported: Imported;
				try {
					imported = read(text);
				} catch (error) {
					expect(String(error)).toContain("twice");
					return;
				}
				expect(imported.findings.some((f) => f.line === at + 1)).toBe(true);
			}),
		);
	});
});

it.each(["vpc.amazonaws.com/efa", "rdma/hca_shared_devices_a"])("reads the device %s as a high-bandwidth interconnect", (device) => {
	const imported = read(JOB.replace("memory: 900Gi", `memory: 900Gi, ${device}: 4`));
	expect(specOf(imported).interconnect).toBe("high");
	expect(said(imported)).toContain(`25 changed ${device}`);
	expect(questions(imported)).not.toContain(device);
	expect(specOf(read(JOB)).interconnect).toBeUndefined();
});

describe("outputs in the annotation", () => {
	const annotated = (value: string) =>
		read(JOB.replace("spec:\n", `  annotations:\n    team.acme.test/cost: "7"\n    spillway.dev/outputs: ${value}\nspec:\n`));

	it.each([
		"|\n      - { name: model, path: out/model, kind: model }\n      - { name: log, path: log.txt, when: always, keep: 7d }",
		`'[{"name":"model","path":"out/model","kind":"model"},{"name":"log","path":"log.txt","when":"always","keep":"7d"}]'`,
	])("are read as YAML and as JSON: %j", (value) => {
		const imported = annotated(value);
		expect(specOf(imported).outputs).toEqual([
			{ name: "model", path: "out/model", kind: "model", when: "success", keepMs: null },
			{ name: "log", path: "log.txt", kind: "file", when: "always", keepMs: 7 * 86_400_000 },
		]);
		expect(said(imported)).toEqual(expect.arrayContaining(["8 dropped Annotations", "9 carried Output model", "9 carried Output log"]));
		expect(questions(imported)).toEqual(questions(read(JOB)));
	});

	it.each([
		["model", "spillway.dev/outputs", "Not a list of outputs."],
		["'[model]'", "spillway.dev/outputs", "Not a list of outputs."],
		["'[{'", "spillway.dev/outputs", "Not a list of outputs."],
		["'[{ name: model }]'", "Output model", "path is required"],
		["'[{ name: model, path: out, kind: weights }]'", "Output model", "kind must be one of"],
	])("asks about %s", (value, subject, text) => {
		const imported = annotated(value);
		expect(specOf(imported).outputs).toBeUndefined();
		expect(imported.findings.filter((f) => f.line === 9)).toEqual([
			{ line: 9, kind: "question", subject, text: expect.stringContaining(text) },
		]);
	});

	it("asks about one on the pod template", () => {
		const annotation = '{ annotations: { spillway.dev/outputs: "[{ name: model, path: out }]" } }';
		const imported = read(JOB.replace("  template:\n", `  template:\n    metadata: ${annotation}\n`));
		expect(specOf(imported).outputs).toBeUndefined();
		expect(questions(imported)).toContain("spillway.dev/outputs");
	});
});
