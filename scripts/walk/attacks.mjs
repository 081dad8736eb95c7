// Requests that cost a server much, each sent by a separate thread, so that this process can measure how fast health checks respond.
import http from "node:http";
import { Worker } from "node:worker_threads";

const MIB = 2 ** 20;
const AT_ONCE = 4;

/** @typedef {{path: string, body: string | Buffer, type?: string}} Attack */

/** @returns {Record<string, Attack>} by name */
export function attacks() {
	const form = "application/x-www-form-urlencoded";
	const deep = Buffer.alloc(8 * MIB, "[");
	return {
		"300 MB to sign-in": { path: "/api/auth/callback/credentials", body: Buffer.alloc(300_000_000, "a"), type: form },
		"8 MiB of [ to REST": { path: "/api/v1/jobs", body: deep },
		"8 MiB of [ to tRPC": { path: "/api/trpc/policy.check", body: deep },
		"8 MiB of [ to agents": { path: "/agent/v1/enroll", body: deep },
		"300,000 keys to REST": { path: "/api/v1/jobs", body: `{${times(300_000, (i) => `"k${i}":1`).join()}}` },
		"500 calls in a batch": { path: `/api/trpc/${times(500, () => "policy.check").join()}?batch=1`, body: "{}" },
		"policies of 200 rules": { path: "/api/v1/policies/default/check", body: JSON.stringify({ source: policyOf(200) }) },
		"quotes of 10,000 runs": { path: "/api/v1/pipelines/quotes", body: JSON.stringify({ text: pipelineOf(10) }) },
	};
}

const times = (count, part) => Array.from({ length: count }, (_, i) => part(i));

function policyOf(rules) {
	const head = "apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: default }\nspec:\n  rules:\n";
	return head + times(rules, (i) => `    - { id: r${i}, when: "job.gpus > ${i}", limit: { instanceHours: ${i + 1} } }\n`).join("");
}

/** Steps of a thousand runs each, one after another. */
function pipelineOf(steps) {
	const head = "apiVersion: spillway/v1\nkind: Pipeline\nmetadata: { name: big, team: research }\nspec:\n  class: burst\n  steps:\n";
	const matrix = `matrix: { x: [${times(100, String).join()}], y: [${times(10, String).join()}] }`;
	const needs = (i) => (i === 0 ? "" : `needs: [s${i - 1}], `);
	return (
		head + times(steps, (i) => `    - { name: s${i}, ${needs(i)}${matrix}, job: { command: [a], duration: { estimate: 1h } } }\n`).join("")
	);
}

/**
 * Measures health checks for a time, while the attack goes on.
 * @param {{url: string, token: string, attack: Attack | null, forMs: number}} options
 * @returns {Promise<{checks: number, p50Ms: number, p95Ms: number, maxMs: number, health: Record<string, number>, answers: Record<string, number>}>}
 * numbers of answers by status
 */
export async function healthUnder({ url, token, attack, forMs }) {
	const attacker =
		attack && new Worker(new URL("./attacker.mjs", import.meta.url), { workerData: { url, token, attack, atOnce: AT_ONCE } });
	const answers = attacker ? new Promise((resolve, reject) => attacker.once("message", resolve).once("error", reject)) : {};
	const until = performance.now() + forMs;
	const took = [];
	const health = {};
	while (performance.now() < until) {
		const { ms, status } = await check(`${url}/healthz`);
		took.push(ms);
		health[status] = (health[status] ?? 0) + 1;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	attacker?.postMessage("stop");
	took.sort((a, b) => a - b);
	const at = (share) => Math.round(took[Math.min(took.length - 1, Math.floor(took.length * share))]);
	return { checks: took.length, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1), health, answers: await answers };
}

/** On a new connection, as by a probe. */
function check(address) {
	const from = performance.now();
	return new Promise((resolve) => {
		const done = (status) => resolve({ ms: performance.now() - from, status });
		http
			.get(address, { agent: false }, (answer) => answer.resume().once("end", () => done(answer.statusCode)))
			.once("error", ({ code }) => done(code));
	});
}
