import { expect, it } from "vitest";
import { aSpec, aStart, type ClusterHarness, readAll, untilPhase } from "./cluster-harness.ts";

const VALUE = "first \"line\" of $HOME\nsecond \\ 'line'";

export function secretCases(site: () => ClusterHarness): void {
	it("delivers secrets as variables and private files, also on a repeated start", async () => {
		const h = site();
		if (!h.features.realProcesses) return;
		const files = h.features.secretFiles ?? false;
		const script = [
			'printf "%s\\n" "$TOKEN"',
			...(files ? ['cat "$SPILLWAY_SECRETS_DIR/key.pem"', "echo", 'stat -c %a "$SPILLWAY_SECRETS_DIR/key.pem"'] : []),
		];
		const ref = { name: "token", env: "TOKEN" };
		const request = aStart(
			h,
			{ end: null },
			{
				spec: aSpec({
					command: ["sh", "-c", script.join("\n")],
					gpus: 1,
					secrets: files ? [ref, { name: "key", file: "key.pem" }] : [ref],
				}),
				secrets: { env: { TOKEN: VALUE }, files: files ? { "key.pem": VALUE } : {} },
			},
		);
		await h.driver.start(request);
		await h.driver.start(request);
		expect((await untilPhase(h, request.attemptId, "exited")).exit).toMatchObject({ code: 0 });
		const lines = (await readAll(h.driver, request.attemptId)).map(({ text }) => text);
		const value = VALUE.split("\n");
		expect(lines).toEqual(files ? [...value, ...value, "600"] : value);
		await h.driver.forget(request.attemptId);
	});
}
