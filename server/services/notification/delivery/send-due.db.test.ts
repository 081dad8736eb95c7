import { CloudEvent, type CloudEventV1, type Headers, HTTP } from "cloudevents";
import { asc, eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { channel, delivery } from "#server/db/schema/alert.ts";
import { audit } from "#server/db/schema/audit.ts";
import { parseAllowance } from "#server/kernel/outgoing.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { createChannel } from "../channel/create.ts";
import { listChannels } from "../channel/list.ts";
import { removeChannel } from "../channel/remove.ts";
import type { CreateChannelInput } from "../channel/schemas.ts";
import { sendTest } from "../channel/send-test.ts";
import { updateChannel } from "../channel/update.ts";
import { listDeliveries } from "./list.ts";
import { queueMessage } from "./queue.ts";
import { TRIES_MAX } from "./retry.ts";
import { type SenderContext, sendDue } from "./send-due.ts";
import { DELIVERY_HEADER, SIGNATURE_HEADER, verifySignature } from "./signature.ts";
import { SELF_SIGNED } from "./testing/certificate.ts";
import { type MailBox, openMailBox, openReceiver, type Receiver } from "./testing/receivers.ts";

const SECRET = "a secret of this installation";
let books: test.Books;
const open: { close(): Promise<void> }[] = [];
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(async () => {
	for (const server of open.splice(0)) await server.close();
	await books.database.drop();
});

const receiver = async (options?: { tls?: boolean }): Promise<Receiver> => {
	const made = await openReceiver(options);
	open.push(made);
	return made;
};
const mailBox = async (): Promise<MailBox> => {
	const made = await openMailBox();
	open.push(made);
	return made;
};
const sender = (changes: Partial<SenderContext> = {}): SenderContext => ({
	...{ db: books.db, clock: books.clock, secret: SECRET, smtpUrl: null, mailFrom: "Spillway <spillway@acme.test>" },
	...{ publicUrl: "https://spillway.acme.test", allowance: parseAllowance(["127.0.0.1", "localhost"]), random: () => 0 },
	timing: { deliverTimeoutMs: 20_000, deliverRetryMs: 30_000, deliverRetryMaxMs: HOUR_MS },
	...changes,
});
const add = (input: Record<string, unknown>) =>
	createChannel({ ...books, secret: SECRET }, { name: "a", topics: ["budget_threshold"], team: null, ...input } as CreateChannelInput);
const message = {
	title: "Budget <risk> has passed 80% of its cap",
	text: "$80 of $100 is posted.",
	facts: { rule: "budget_threshold", thresholdPercent: 80 },
	link: "/budgets?a=1",
};
const queue = (about = "alert:alrt_1", team: string | null = null) =>
	books.db.transaction((tx) => queueMessage(tx, { topic: "budget_threshold", team, about, message, nowMs: books.clock.nowMs() }));
const rows = () => books.db.select().from(delivery).orderBy(asc(delivery.id));

describe("sendDue", () => {
	it("signs a generic webhook with its key, with the id in header and payload, and the full link", async () => {
		const hook = await receiver();
		const { signingKey } = await add({ kind: "webhook", url: hook.url });
		expect(await queue()).toBe(1);
		expect(await sendDue(sender())).toBe(1);
		const [got] = hook.received;
		const [row] = await rows();
		expect(row).toMatchObject({ state: "sent", tries: 1, lastError: null });
		expect(JSON.parse(got?.body ?? "")).toEqual({
			...{ id: row?.id, type: "alert", about: "alert:alrt_1", title: message.title, text: message.text },
			...{ facts: message.facts, url: "https://spillway.acme.test/budgets?a=1", createdAt: "2026-11-10T10:00:00.000Z" },
		});
		expect(got?.headers[DELIVERY_HEADER.toLowerCase()]).toBe(row?.id);
		const signature = String(got?.headers[SIGNATURE_HEADER.toLowerCase()]);
		const check = (key: string, body: string, nowMs = books.clock.nowMs()) => verifySignature(key, body, signature, nowMs);
		expect(check(signingKey ?? "", got?.body ?? "")).toBe(true);
		expect(check(signingKey ?? "", `${got?.body} `)).toBe(false);
		expect(check("another key of 16+", got?.body ?? "")).toBe(false);
		expect(check(signingKey ?? "", got?.body ?? "", books.clock.nowMs() + 301_000)).toBe(false);
	});

	it("sends a CloudEvents channel an event that the official SDK accepts, with a signature of its body", async () => {
		const hook = await receiver();
		const { signingKey } = await add({ kind: "cloudevents", url: hook.url });
		await queue("alert:alrt_1");
		await queue("statement:stm_1");
		await sendDue(sender());
		const events = hook.received.map(({ headers, body }) => HTTP.toEvent({ headers: headers as Headers, body }) as CloudEventV1<unknown>);
		for (const event of events) expect(new CloudEvent(event).validate()).toBe(true);
		expect(events.find(({ subject }) => subject === "alert:alrt_1")).toMatchObject({
			...{ specversion: "1.0", type: "dev.spillway.alert.budget_threshold", source: "https://spillway.acme.test/" },
			...{
				id: (await rows()).find(({ about }) => about === "alert:alrt_1")?.id,
				datacontenttype: "application/json",
				time: "2026-11-10T10:00:00.000Z",
			},
			data: { title: message.title, text: message.text, url: "https://spillway.acme.test/budgets?a=1" },
		});
		for (const { headers, body } of hook.received)
			expect(verifySignature(signingKey ?? "", body, String(headers[SIGNATURE_HEADER.toLowerCase()]), books.clock.nowMs())).toBe(true);
	});

	it("names the whole address of an installation below a path as an event's source", async () => {
		const hook = await receiver();
		await add({ kind: "cloudevents", url: hook.url });
		await queue();
		await sendDue({ ...sender(), publicUrl: "https://tools.acme.test/spillway" });
		const [got] = hook.received;
		expect(JSON.parse(got?.body ?? "")).toMatchObject({
			source: "https://tools.acme.test/spillway/",
			data: { url: "https://tools.acme.test/spillway/budgets?a=1" },
		});
	});

	it("retries after a 500 in 15 s with the same id, and not before", async () => {
		const hook = await receiver();
		hook.answers.push(500);
		await add({ kind: "webhook", url: hook.url });
		await queue();
		await sendDue(sender());
		expect(await rows()).toMatchObject([{ state: "pending", tries: 1, lastError: "The receiver answered 500." }]);
		books.clock.advance(14_999);
		expect(await sendDue(sender())).toBe(0);
		books.clock.advance(1);
		expect(await sendDue(sender())).toBe(1);
		expect(await rows()).toMatchObject([{ state: "sent", tries: 2, lastError: null }]);
		const ids = hook.received.map((r) => JSON.parse(r.body).id);
		expect(new Set(ids).size).toBe(1);
		expect(ids).toHaveLength(2);
	});

	it("doubles pauses up to an hour for a dead receiver, and shows it as failed after ten tries", async () => {
		const hook = await receiver();
		await hook.close();
		await add({ kind: "slack", url: hook.url });
		await queue();
		const pauses: number[] = [];
		for (let n = 0; n < TRIES_MAX; n++) {
			await sendDue(sender());
			const [row] = await rows();
			if (row?.state !== "pending") break;
			const pause = row.nextTryAt.getTime() - books.clock.nowMs();
			pauses.push(pause / 1_000);
			books.clock.advance(pause);
		}
		expect(pauses).toEqual([15, 30, 60, 120, 240, 480, 960, 1_800, 1_800]);
		const { items } = await listDeliveries(books, {});
		expect(items).toMatchObject([{ state: "failed", tries: 10, triesMax: 10, lastError: expect.stringContaining("connection refused") }]);
		books.clock.advance(24 * HOUR_MS);
		expect(await sendDue(sender())).toBe(0);
	});

	it("rejects and reports a wrong certificate, and accepts the same one once it is trusted", async () => {
		const hook = await receiver({ tls: true });
		await add({ kind: "webhook", url: hook.url });
		await queue();
		await sendDue(sender());
		expect(await rows()).toMatchObject([{ state: "pending", lastError: expect.stringContaining("certificate is not trusted") }]);
		expect(hook.received).toHaveLength(0);
		books.clock.advance(MINUTE_MS);
		await sendDue(sender({ ca: SELF_SIGNED.cert }));
		expect(await rows()).toMatchObject([{ state: "sent" }]);
	});

	it("does not follow redirects, and gives up in time on a receiver that never answers", async () => {
		const hook = await receiver();
		hook.answers.push(302, 0);
		await add({ kind: "webhook", url: hook.url });
		await queue();
		await sendDue(sender());
		expect((await rows())[0]?.lastError).toMatch(/^The receiver answered 302\. Redirects are not followed/);
		books.clock.advance(MINUTE_MS);
		await sendDue(sender({ timing: { deliverTimeoutMs: 1_000, deliverRetryMs: 30_000, deliverRetryMaxMs: HOUR_MS } }));
		expect((await rows())[0]?.lastError).toBe("The receiver did not answer within 1 s.");
		expect(hook.received).toHaveLength(2);
	});

	it("rejects addresses inside the network, also inside an IPv6 one", async () => {
		for (const address of ["http://169.254.169.254/latest", "http://[fe80::1]/", "http://[::ffff:169.254.169.254]/"]) {
			await add({ kind: "webhook", url: address });
		}
		await queue();
		await sendDue(sender());
		for (const row of await rows()) expect(row.lastError).toContain("is not a public address");
	});

	it("sends each of fifty messages once with three concurrent senders", async () => {
		const hook = await receiver();
		await add({ kind: "webhook", url: hook.url });
		for (let n = 0; n < 50; n++) await queue(`alert:alrt_${n}`);
		let sent = 0;
		for (let round = 0; round < 6 && sent < 50; round++) {
			const counts = await Promise.all([sendDue(sender()), sendDue(sender()), sendDue(sender())]);
			sent += counts.reduce((sum, n) => sum + n, 0);
		}
		expect(sent).toBe(50);
		const ids = hook.received.map((r) => JSON.parse(r.body).id);
		expect(ids).toHaveLength(50);
		expect(new Set(ids).size).toBe(50);
	});

	it("sends a message again with the same id when its sender died after sending and its claim expired", async () => {
		const hook = await receiver();
		await add({ kind: "webhook", url: hook.url });
		await queue();
		const dying = sender({ random: () => 0 });
		// It dies before it records the result: the write never reaches the database.
		const dead = {
			...dying,
			db: new Proxy(books.db, {
				get: (db, name) =>
					name === "update"
						? () => {
								throw new Error("killed");
							}
						: Reflect.get(db, name),
			}),
		};
		await expect(sendDue(dead)).rejects.toThrow("killed");
		expect(hook.received).toHaveLength(1);
		expect(await sendDue(sender())).toBe(0);
		books.clock.advance(80_000);
		expect(await sendDue(sender())).toBe(1);
		expect(await rows()).toMatchObject([{ state: "sent", tries: 2 }]);
		expect(new Set(hook.received.map((r) => JSON.parse(r.body).id)).size).toBe(1);
	});

	it("sends mail to all recipients, rejected at first, then accepted, with one id for both tries", async () => {
		const box = await mailBox();
		box.refuse = 1;
		await add({ kind: "email", recipients: ["cfo@acme.test", "ops@acme.test"] });
		await queue();
		await sendDue(sender({ smtpUrl: box.url }));
		expect((await rows())[0]?.lastError).toMatch(/^The mail server rejected the message: .*451/);
		books.clock.advance(MINUTE_MS);
		await sendDue(sender({ smtpUrl: box.url }));
		const [row] = await rows();
		expect(row).toMatchObject({ state: "sent", tries: 2 });
		expect(box.mails).toHaveLength(1);
		expect(box.mails[0]?.to).toEqual(["cfo@acme.test", "ops@acme.test"]);
		const text = box.mails[0]?.text ?? "";
		expect(text).toContain(`Message-ID: <${row?.id}@spillway>`);
		expect(text).toContain("Subject: Budget <risk> has passed 80% of its cap");
		expect(text).toContain("https://spillway.acme.test/budgets?a=1");
	});

	it("logs what to set when there is no mail server", async () => {
		await add({ kind: "email", recipients: ["cfo@acme.test"] });
		await queue();
		await sendDue(sender());
		expect((await rows())[0]?.lastError).toContain("SPILLWAY_SMTP_URL");
	});

	it("sends Slack's format: text and blocks, with its control characters escaped", async () => {
		const hook = await receiver();
		await add({ kind: "slack", url: hook.url });
		await queue();
		await sendDue(sender());
		const body = JSON.parse(hook.received[0]?.body ?? "");
		expect(body.text).toBe("Budget &lt;risk&gt; has passed 80% of its cap: $80 of $100 is posted.");
		expect(body.blocks.map((b: { type: string }) => b.type)).toEqual(["section", "context"]);
		expect(hook.received[0]?.headers[SIGNATURE_HEADER.toLowerCase()]).toBeUndefined();
	});

	it("sends Microsoft Teams one Adaptive Card, with text that is not Markdown and a link", async () => {
		const hook = await receiver();
		await add({ kind: "teams", url: hook.url });
		await queue();
		await sendDue(sender());
		const { type, attachments } = JSON.parse(hook.received[0]?.body ?? "");
		expect([type, attachments.length, attachments[0].contentType]).toEqual(["message", 1, "application/vnd.microsoft.card.adaptive"]);
		const { body, actions } = attachments[0].content;
		expect(body.flatMap(({ inlines }: { inlines: { type: string; text: string }[] }) => inlines)).toMatchObject([
			{ type: "TextRun", text: message.title },
			{ type: "TextRun", text: message.text },
			{ type: "TextRun", text: (await rows())[0]?.id },
		]);
		expect(actions).toEqual([{ type: "Action.OpenUrl", title: "Open in Spillway", url: "https://spillway.acme.test/budgets?a=1" }]);
	});
});

describe("queueMessage", () => {
	it("adds one delivery per channel of the topic and of the team, however often the event repeats", async () => {
		await add({ kind: "email", recipients: ["all@acme.test"] });
		await add({ kind: "email", recipients: ["risk@acme.test"], team: "risk" });
		await add({ kind: "email", recipients: ["vision@acme.test"], team: "vision" });
		await add({ kind: "email", recipients: ["other@acme.test"], topics: ["statement"] });
		expect(await queue("alert:alrt_1", "risk")).toBe(2);
		expect(await queue("alert:alrt_1", "risk")).toBe(0);
		expect(await queue("alert:alrt_2", null)).toBe(1);
	});
});

describe("channels", () => {
	const person = (role: "finance" | "data_scientist") =>
		({ kind: "person", accountId: "usr_1", name: "P", role, teams: ["risk"], via: "session" }) as const;

	it("store an address encrypted, show only its host, and keep it out of the audit", async () => {
		const { id, signingKey } = await add({ kind: "webhook", url: "https://hooks.acme.test/T0/B0/verysecret" });
		const [row] = await books.db.select().from(channel).where(eq(channel.id, id));
		expect(signingKey).toHaveLength(43);
		const stored = JSON.stringify([row, await books.db.select().from(audit), await listChannels({ ...books, secret: SECRET })]);
		expect(stored).not.toContain("verysecret");
		expect(stored).not.toContain(signingKey);
		expect(await listChannels({ ...books, secret: SECRET })).toMatchObject([{ target: "hooks.acme.test", problem: null }]);
		expect(await listChannels({ ...books, secret: "another installation's" })).toMatchObject([{ target: "unreadable" }]);
		// A box moved to another row cannot be opened there.
		const other = await add({ kind: "webhook", url: "https://other.test/" });
		await books.db
			.update(channel)
			.set({ secret: row?.secret ?? null })
			.where(eq(channel.id, other.id));
		expect((await listChannels({ ...books, secret: SECRET })).map((c) => c.target).sort()).toEqual(["hooks.acme.test", "unreadable"]);
	});

	it("a new address keeps the key; a field of another kind is rejected; callers without the right to change budgets get 403", async () => {
		const hook = await receiver();
		const { id, signingKey } = await add({ kind: "webhook", url: "https://old.test/" });
		const ctx = { ...books, secret: SECRET };
		await updateChannel(ctx, { id, url: hook.url, name: "b" });
		await queue();
		await sendDue(sender());
		expect(
			verifySignature(
				signingKey ?? "",
				hook.received[0]?.body ?? "",
				String(hook.received[0]?.headers["x-spillway-signature"]),
				books.clock.nowMs(),
			),
		).toBe(true);
		await expect(updateChannel(ctx, { id, recipients: ["a@b.test"] })).rejects.toMatchObject({ code: "invalid_input" });
		await expect(add({ kind: "webhook", url: "ftp://files.test/" })).rejects.toThrow(/http/);
		const reader = { ...ctx, actor: person("data_scientist") };
		await expect(listChannels(reader)).rejects.toMatchObject({ code: "forbidden" });
		await expect(removeChannel(reader, id)).rejects.toMatchObject({ code: "forbidden" });
		await expect(sendTest(reader, id)).rejects.toMatchObject({ code: "forbidden" });
	});

	it("send a test like any message; when a channel is removed, its pending messages fail and its log stays", async () => {
		const hook = await receiver();
		const { id } = await add({ kind: "slack", url: hook.url });
		const finance = { ...books, actor: person("finance") };
		const { deliveryId } = await sendTest(finance, id);
		await sendDue(sender());
		expect(hook.received[0]?.body).toContain("A test from Spillway");
		expect(hook.received[0]?.body).toContain(deliveryId);
		await queue();
		await removeChannel(finance, id);
		expect(await sendDue(sender())).toBe(0);
		expect(await listChannels({ ...books, secret: SECRET })).toEqual([]);
		expect((await listDeliveries(finance, {})).items.map((d) => d.state).sort()).toEqual(["failed", "sent"]);
	});
});
