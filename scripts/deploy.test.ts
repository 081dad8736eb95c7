// Checks the files of deploy/ against the program: settings exist, manifests match the schemas of Kubernetes, scripts parse,
// units are valid. Checks that need a tool run only if it is installed.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";

const root = path.resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const has = (tool: string): boolean => spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;

const SETTINGS = new Set([...read("server/env.ts").matchAll(/^\t([A-Z][A-Z_]+):/gm)].map((m) => m[1] ?? ""));
/** Settings read by Node.js, Next, the SDKs or the files of deploy/. */
const OTHERS = new Set(["NODE_EXTRA_CA_CERTS", "NEXT_TELEMETRY_DISABLED", "PATH"]);
const isKnown = (name: string): boolean => SETTINGS.has(name) || OTHERS.has(name);

describe("the settings in deploy/", () => {
	it("of the image exist", () => {
		const text = read("deploy/image/Containerfile").split(/^FROM .*BASE.*$/m)[1] ?? "";
		const names = [...text.matchAll(/^(?:ENV| {3}) ([A-Z][A-Z_]+)=/gm)].map((m) => m[1] ?? "");
		expect(names.length).toBeGreaterThan(5);
		expect(names.filter((name) => !isKnown(name))).toEqual([]);
	});
	it("of the compose file exist, and .env.example has every variable that it requires", () => {
		const text = read("deploy/compose/compose.yaml");
		const { "x-spillway": service } = z
			.object({ "x-spillway": z.object({ environment: z.record(z.string(), z.string()) }) })
			.parse(parse(text, { merge: true }));
		expect(Object.keys(service.environment).length).toBeGreaterThan(5);
		expect(Object.keys(service.environment).filter((name) => !isKnown(name))).toEqual([]);
		const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map((m) => m[1] ?? ""));
		const given = new Set([...read("deploy/compose/.env.example").matchAll(/^(\w+)=/gm)].map((m) => m[1] ?? ""));
		expect([...required].filter((name) => !given.has(name))).toEqual([]);
	});
	it("of the systemd units exist", () => {
		const units = globSync("deploy/systemd/*.service", { cwd: root }).map(read).join("\n");
		const inUnits = [...units.matchAll(/^Environment=(.*)$/gm)].flatMap((m) => [...(m[1] ?? "").matchAll(/(?:^| )([A-Z_]+)=/g)]);
		const inFile = [...read("deploy/systemd/spillway.env.example").matchAll(/^#?([A-Z_]+)=/gm)];
		const names = [...inUnits, ...inFile].map((m) => m[1] ?? "");
		expect(names.length).toBeGreaterThan(8);
		expect(names.filter((name) => !isKnown(name))).toEqual([]);
	});
	it("of the chart exist", () => {
		const helpers = read("deploy/helm/spillway/templates/_helpers.tpl");
		const lists = [...helpers.matchAll(/:= list ((?:"[A-Z_]+" ?)+)/g)].flatMap((m) => [...(m[1] ?? "").matchAll(/"([A-Z_]+)"/g)]);
		const names = [...lists, ...helpers.matchAll(/^- name: ([A-Z_]+)$/gm)].map((m) => m[1] ?? "");
		expect(names.length).toBeGreaterThan(8);
		expect(names.filter((name) => !isKnown(name))).toEqual([]);
	});
});

/** Settings that are for `npm start` and the demo only. */
const DEMO_ONLY = /^SPILLWAY_(DEMO|DEMO_\w+|HALL_\w+|AWS_\w+|AZURE_ENDPOINT|GCP_ENDPOINT|LOCAL_\w+)$/;
/** Settings that each form of installation sets itself. */
const OWN = new Set(["NODE_ENV", "SPILLWAY_HOME", "SPILLWAY_HOST", "SPILLWAY_PORT", "SPILLWAY_INSTANCE", "SPILLWAY_URL"]);
/** Settings that are or contain a secret: the chart takes them from a Secret. */
const SECRET = /^(AUTH_SECRET|DATABASE_\w*URL|SPILLWAY_SMTP_URL|OIDC_CLIENT_\w+|\w+_(SECRET|TOKEN|API_KEY|KEYS|USERNAME|PASSWORD))$/;

describe("every documented setting", () => {
	const documented = [...read("docs/settings.md").matchAll(/^\| ((?:`[A-Z][A-Z_]+`(?:, | and |, or )?)+) \|/gm)].flatMap((m) =>
		[...(m[1] ?? "").matchAll(/`([A-Z_]+)`/g)].map((name) => name[1] ?? ""),
	);
	const settable = documented.filter((name) => SETTINGS.has(name) && !DEMO_ONLY.test(name) && !OWN.has(name));
	it("is a setting, and every setting is documented", () => {
		expect([...SETTINGS].filter((name) => !documented.includes(name))).toEqual([]);
		expect(settable.length).toBeGreaterThan(40);
	});
	it("can be set in the chart: secrets by reference, all others in env", () => {
		const helpers = read("deploy/helm/spillway/templates/_helpers.tpl");
		const fromSecret = [...helpers.matchAll(/:= list ((?:"[A-Z_]+" ?)+)/g)].flatMap((m) =>
			[...(m[1] ?? "").matchAll(/"([A-Z_]+)"/g)].map((name) => name[1] ?? ""),
		);
		expect(fromSecret.toSorted()).toEqual(settable.filter((name) => SECRET.test(name)).toSorted());
		expect(helpers).toContain("range $name, $value := .Values.env");
		const values = read("deploy/helm/spillway/values.yaml");
		expect(fromSecret.filter((name) => !values.includes(name))).toEqual([]);
	});
	it("can be set with compose and systemd, in a file", () => {
		const { services } = z
			.object({
				services: z.record(z.string(), z.looseObject({ command: z.array(z.string()).optional(), env_file: z.unknown().optional() })),
			})
			.parse(parse(read("deploy/compose/compose.yaml"), { merge: true }));
		const file = [{ path: "spillway.env", required: false }];
		const programs = Object.values(services).filter(({ command }) => ["web", "scheduler", "migrate"].includes(command?.[0] ?? ""));
		expect(programs.map((program) => program.env_file)).toEqual([file, file, file]);
		for (const unit of globSync("deploy/systemd/*.service", { cwd: root }))
			expect(read(unit)).toContain("EnvironmentFile=/etc/spillway/spillway.env\n");
	});
});

const manifestSchema = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
type Manifest = z.infer<typeof manifestSchema>;
const manifestsOf = (text: string): Manifest[] =>
	parseAllDocuments(text)
		.map((document): unknown => document.toJS())
		.filter((value) => value !== null)
		.map((value) => manifestSchema.parse(value));

/** Throws the schema errors of the manifest's kind, including unknown fields of built-in kinds. */
async function validate(manifest: Manifest): Promise<void> {
	const { apiVersion, kind } = manifest;
	const isOperator = apiVersion.startsWith("monitoring.coreos.com/");
	const place = `${isOperator ? "@kubernetes-models/prometheus-operator" : "kubernetes-models"}/${apiVersion}/${kind}`;
	const module: Record<string, new (data: unknown) => { validate(): void }> = await import(place);
	const Model = module[kind];
	if (!Model) throw new Error(`there is no schema of ${apiVersion} ${kind}`);
	new Model(manifest).validate();
}

const CHART = "deploy/helm/spillway";
const RENDERED = "deploy/helm/testing/rendered.yaml";
const VALUES = "deploy/helm/testing/values.yaml";

/** Renders with Helm, else with Go's templates and Debian's Sprig; null if neither is installed. */
function render(): string | null {
	const options = { cwd: root, encoding: "utf8" as const };
	const helm = ["template", "spillway", CHART, "--namespace", "spillway", "-f", VALUES, "--kube-version", "1.30.0"];
	const withGo = { ...process.env, GO111MODULE: "off", GOPATH: "/usr/share/gocode", GOCACHE: path.join(os.tmpdir(), "spillway-go-cache") };
	const result = has("helm")
		? spawnSync("helm", helm, options)
		: has("go") && globSync("/usr/share/gocode/src/github.com/Masterminds/sprig").length > 0
			? spawnSync("go", ["run", "deploy/helm/testing/render.go", CHART, VALUES], { ...options, env: withGo })
			: null;
	if (result && result.status !== 0) throw new Error(result.stderr);
	return result?.stdout ?? null;
}

describe("the Helm chart", () => {
	const manifests = manifestsOf(read(RENDERED));
	it("renders to deploy/helm/testing/rendered.yaml", (test) => {
		const text = render();
		if (text === null) return test.skip("neither helm nor go with Sprig is installed");
		const byName = (list: Manifest[]) => Object.fromEntries(list.map((m) => [`${m.kind}/${m.metadata.name}`, m]));
		expect(byName(manifestsOf(text))).toEqual(byName(manifests));
	});
	it.each(manifests.map((manifest) => [`${manifest.kind}/${manifest.metadata.name}`, manifest] as const))(
		"renders %s as its schema demands",
		async (_, manifest) => {
			await expect(validate(manifest)).resolves.toBeUndefined();
		},
	);
	it("passes settings in JSON that the server accepts", () => {
		const given = Object.fromEntries(
			[...read(RENDERED).matchAll(/- name: (SPILLWAY_\w+)\n +value: (".*")/g)].map((m) => [m[1] ?? "", String(JSON.parse(m[2] ?? ""))]),
		);
		const program = `import { env } from "#server/env.ts"; console.log(JSON.stringify(env().SPILLWAY_AGENT_NETWORK));`;
		const run = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
			cwd: root,
			encoding: "utf8",
			env: { NODE_ENV: "production", PATH: process.env["PATH"], ...given },
		});
		expect(run.stderr).toBe("");
		expect(JSON.parse(run.stdout)).toEqual({
			...{ url: "https://spillway.internal", proxy: "http://proxy.internal:3128" },
			...{ noProxy: [".internal"], caFile: "/etc/spillway/ca/ca.crt" },
		});
		expect(given["SPILLWAY_RATE_LIMIT"]).toBe("1200000");
	});
	it("is checked by schemas that reject a wrong field", async () => {
		const web = manifests.find((m) => m.kind === "Deployment") ?? expect.fail("no Deployment");
		await expect(validate({ ...web, spec: { replicas: "two" } })).rejects.toThrow();
	});
	it("runs every container as an ordinary user on a read-only root without capabilities", () => {
		const container = z.object({
			securityContext: z.object({
				readOnlyRootFilesystem: z.literal(true),
				allowPrivilegeEscalation: z.literal(false),
				capabilities: z.object({ drop: z.tuple([z.literal("ALL")]) }),
			}),
		});
		const pod = z.object({
			spec: z.object({
				template: z.object({
					spec: z.object({
						securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
						containers: z.array(container).min(1),
					}),
				}),
			}),
		});
		const workloads = manifests.filter((m) => m.kind === "Deployment" || m.kind === "Job");
		expect(workloads).toHaveLength(3);
		for (const workload of workloads) expect(pod.safeParse(workload).error?.message).toBeUndefined();
	});
	it("contains no secret", () => {
		expect(manifests.filter((m) => m.kind === "Secret")).toEqual([]);
	});
});

describe("the scripts and units", () => {
	it.each(globSync("deploy/**/*.sh", { cwd: root }).sort())("%s parses as a POSIX shell script", (file) => {
		expect(spawnSync("sh", ["-n", path.join(root, file)], { encoding: "utf8" }).stderr).toBe("");
	});
	it("systemd accepts the units", (test) => {
		if (!has("systemd-analyze")) return test.skip("systemd-analyze is not installed");
		const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-units-"));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const units = globSync("deploy/systemd/spillway*.{service,target}", { cwd: root });
		for (const unit of units) {
			// The programs are not installed here; the install script checks their names.
			writeFileSync(path.join(folder, path.basename(unit)), read(unit).replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
		}
		const files = units.map((unit) => path.join(folder, path.basename(unit)));
		const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...files], { encoding: "utf8" });
		const ours = stderr.split("\n").filter((line) => line.includes("spillway"));
		expect(ours).toEqual([]);
	});
	it("the entry point of the image starts the programs that it names", () => {
		const script = read("deploy/image/entrypoint.sh");
		for (const program of ["web", "scheduler", "migrate"]) {
			expect(script).toContain(program);
			expect(globSync(`server/bin/${program}.ts`, { cwd: root })).toHaveLength(1);
		}
	});
	it("install.sh installs a tarball, switches back, and keeps the settings", () => {
		const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-install-"));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const run = (script: string, ...args: string[]) => {
			const result = spawnSync("sh", ["-euc", script, "sh", ...args], {
				cwd: root,
				encoding: "utf8",
				env: { ...process.env, DESTDIR: `${folder}/root` },
			});
			expect(result.stderr).toBe("");
			expect(result.status).toBe(0);
			return result.stdout;
		};
		for (const version of ["1.0.0", "1.1.0"])
			run(
				`mkdir -p "$1/x/s/deploy" && cp -r deploy/systemd "$1/x/s/deploy/" && echo ${version} >"$1/x/s/version" && tar -czf "$1/spillway-${version}.tar.gz" -C "$1/x" s && sh deploy/systemd/install.sh "$1/spillway-${version}.tar.gz"`,
				folder,
			);
		const current = (): string => readFileSync(`${folder}/root/opt/spillway/current/version`, "utf8").trim();
		expect(current()).toBe("1.1.0");
		writeFileSync(`${folder}/root/etc/spillway/spillway.env`, "SPILLWAY_SECRET=kept\n");
		run("sh deploy/systemd/install.sh --switch 1.0.0");
		expect(current()).toBe("1.0.0");
		expect(readFileSync(`${folder}/root/etc/spillway/spillway.env`, "utf8")).toBe("SPILLWAY_SECRET=kept\n");
		expect(globSync(`${folder}/root/etc/systemd/system/spillway*`)).toHaveLength(4);
	});
});
