// Results of jobs at home and in a cloud: downloaded, delivered despite a killed agent, and closed to people who left the team.
import { createCipheriv, createHash } from "node:crypto";
import { createReadStream, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { commandLine, processesWithEnv } from "../lib/process-identity.mjs";

const MIB = 2 ** 20;
const READER = "reader@example.test";
/** The demo's own cluster has none of these, so the job leaves. */
const CLOUD_ONLY = "A10G-24GB";

/** Writes a repeatable model: the same name and size give the same bytes, whichever attempt writes them. */
const WRITE = `
const { createCipheriv, createHash } = require("node:crypto");
const fs = require("node:fs");
const [name, mib] = process.argv.slice(1);
const key = createHash("sha256").update(name).digest();
const cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
fs.mkdirSync("out/model/notes", { recursive: true });
const file = fs.openSync("out/model/weights.bin", "w");
for (let i = 0; i < Number(mib); i++) fs.writeSync(file, cipher.update(Buffer.alloc(${MIB})));
fs.closeSync(file);
fs.writeFileSync("out/model/notes/name.txt", name + "\\n");
`;

/** @type {(demo: import("./demo.mjs").Demo, expect: (holds: boolean, promise: string) => void) => Promise<object>} */
export async function walkDownloads(demo, expect) {
	const home = await identicalBytes(demo, expect, { name: "walk-home", mib: 32, class: "sensitive", where: "local" });
	const cloud = await identicalBytes(demo, expect, { name: "walk-cloud", mib: 32, class: "burst", where: "aws" });
	return { home, cloud };
}

/** What `artifacts get` writes for a job is what the job wrote. */
async function identicalBytes(demo, expect, of) {
	const id = await submit(demo, of);
	const job = await ended(demo, id);
	expect(job.state === "succeeded" && job.placement?.provider === of.where, `a job with outputs succeeds at ${of.where}`);
	const folder = path.join(demo.folder, "got", of.name);
	const { items } = await demo.cli("artifacts", "get", id, "--to", folder, "--json");
	const same = items.length === 2 && (await sumOf(path.join(folder, "model/weights.bin"))) === expectedSum(of);
	expect(same, `the files of the job at ${of.where} are downloaded byte for byte`);
	return { id, provider: job.placement?.provider ?? null, files: items.length, bytes: bytesOf(items), identical: same };
}

/**
 * The agent is killed between two parts of the upload: a later attempt delivers the result.
 * @type {typeof walkDownloads}
 */
export async function walkKilledAgent(demo, expect) {
	const of = { name: "walk-killed", mib: 512, class: "burst", to: "home:/walk/killed" };
	const before = storedBytes(demo);
	const id = await submit(demo, of);
	const instance = `ins_${id.slice(4)}_001_0`;
	const sent = await demo.until("a part of the result is stored", () => {
		const bytes = storedBytes(demo) - before;
		return bytes >= 64 * MIB && bytes;
	});
	const agents = processesWithEnv("SPILLWAY_INSTANCE_ID", instance).filter((pid) => commandLine(pid).includes("agent.mjs"));
	for (const pid of agents) process.kill(pid, "SIGKILL");
	expect(agents.length === 1 && sent < of.mib * MIB, "the agent is killed during the upload");
	const job = await ended(demo, id, 1_200_000);
	expect(job.state === "succeeded" && job.attempts > 1, "a later attempt finishes the job");
	const delivered = await demo.until("the result is delivered", async () => {
		const { items } = await demo.get(`/jobs/${id}/artifacts`);
		return items.some(({ deliveries }) => deliveries.some(({ state }) => state === "delivered"));
	});
	const same = (await sumOf(path.join(demo.home, "delivered/walk/killed/weights.bin"))) === expectedSum(of);
	expect(delivered && same, "the result of the killed agent's job is delivered byte for byte");
	return { id, sentBeforeKill: sent, bytes: of.mib * MIB, attempts: job.attempts, delivered, identical: same };
}

/**
 * Downloads by REST and by a link end with the membership. A token's account is cached for five seconds (docs/security.md).
 * @type {typeof walkDownloads}
 */
export async function walkAccess(demo, expect) {
	const id = await submit(demo, { name: "walk-access", mib: 1, class: "sensitive" });
	await ended(demo, id);
	await demo.cli("people", "add", READER, "--name", "Reader", "--role", "data_scientist", "--team", "research", "--service");
	const token = (await demo.cli("tokens", "add", "walk", "--for", READER)).trim();
	const { items } = await demo.get(`/jobs/${id}/artifacts`);
	const [{ id: artifactId, fileList }] = items;
	const file = fileList[0].path;
	const link = await fetch(`${demo.url}/api/v1/artifacts/${artifactId}/links`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify({ path: file, minutes: 60 }),
	}).then((answer) => answer.json());
	const content = `${demo.url}/api/v1/artifacts/${artifactId}/content?path=${encodeURIComponent(file)}`;
	const download = async () => ({
		rest: (await fetch(content, { headers: { authorization: `Bearer ${token}` } })).status,
		link: (await fetch(new URL(link.url, demo.url))).status,
	});
	const member = await download();
	await demo.cli("people", "change", READER, "--no-teams");
	const left = await demo.until("downloads are refused", async () => {
		const now = await download();
		return now.rest >= 400 && now.link >= 400 && now;
	});
	expect(member.rest === 200 && member.link === 200, "a member downloads by REST and by link");
	expect(left.rest >= 400 && left.link >= 400, "downloads by REST and by link end with the membership");
	return { member, left };
}

async function submit(demo, { name, mib, class: workload, to }) {
	const output = { name: "model", path: "out/model", kind: "model", ...(to && { to }) };
	const resources = { gpus: 1, ...(workload === "burst" && { accelerators: [CLOUD_ONLY] }) };
	const command = ["node", "-e", WRITE, name, String(mib)];
	const spec = { class: workload, command, resources, duration: { estimate: "1m" }, outputs: [output] };
	return demo.submit({ apiVersion: "spillway/v1", kind: "Job", metadata: { name, team: "research" }, spec });
}

function ended(demo, id, limitMs = 600_000) {
	return demo.until(
		`job ${id} ends`,
		async () => {
			const now = await demo.get(`/jobs/${id}`);
			return now.finishedAt !== null && now;
		},
		limitMs,
	);
}

function expectedSum({ name, mib }) {
	const cipher = createCipheriv("aes-256-ctr", createHash("sha256").update(name).digest(), Buffer.alloc(16));
	const hash = createHash("sha256");
	for (let i = 0; i < mib; i++) hash.update(cipher.update(Buffer.alloc(MIB)));
	return hash.digest("hex");
}

async function sumOf(file) {
	const hash = createHash("sha256");
	for await (const chunk of createReadStream(file)) hash.update(chunk);
	return hash.digest("hex");
}

function bytesOf(items) {
	return items.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Bytes in the embedded store, those of unfinished uploads included. */
function storedBytes({ home }) {
	let sum = 0;
	for (const entry of readdirSync(path.join(home, "artifacts"), { recursive: true, withFileTypes: true })) {
		if (entry.isFile()) sum += statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
	}
	return sum;
}
