"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DollarsField } from "#components/money/dollars-field.tsx";
import { readDollars } from "#components/money/read-dollars.ts";
import { type FieldErrors, fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Input, Select } from "#components/ui/input.tsx";
import { TOKEN_SCOPES, type TokenScope } from "#server/domain/token-scopes.ts";
import { SCOPE_TEXT } from "./token-words.ts";

const LIFETIMES = [7, 30, 90, 365];
const LIFETIME_DEFAULT = 90;

interface TokenDraft {
	name: string;
	/** Empty: the person's own account. */
	accountId: string;
	scopes: readonly TokenScope[];
	/** As typed, in dollars; empty: no limit. */
	approvalAbove: string;
	expiresInDays: number;
}

function checkToken(draft: TokenDraft): FieldErrors {
	return {
		...(draft.name.trim() === "" ? { name: "Enter a name that shows what uses the token, such as laptop." } : {}),
		...(draft.approvalAbove.trim() !== "" && readDollars(draft.approvalAbove) === null
			? { approvalAboveUsd: "Enter US dollars, such as 25.00, or leave it empty." }
			: {}),
		...(draft.scopes.length === 0 ? { scopes: "Choose at least one scope." } : {}),
	};
}

/** Creates a token and shows it once. `services`: service accounts it may be created for, besides the person's own. */
export function CreateTokenDialog({ services, onClose }: { services: readonly { id: string; name: string }[]; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const create = useMutation(
		trpc.token.create.mutationOptions({ onSettled: () => void client.invalidateQueries({ queryKey: trpc.token.pathKey() }) }),
	);
	const [draft, setDraft] = useState<TokenDraft>({
		...{ name: "", accountId: "", scopes: ["read", "jobs"], approvalAbove: "", expiresInDays: LIFETIME_DEFAULT },
	});
	const [isChecked, setIsChecked] = useState(false);
	const own = checkToken(draft);
	const errors = isChecked ? { ...fieldErrorsOf(create.error), ...own } : {};
	const set = (part: Partial<TokenDraft>) => setDraft((now) => ({ ...now, ...part }));
	const submit = () => {
		setIsChecked(true);
		if (Object.keys(own).length > 0) return;
		const { accountId, scopes, approvalAbove, expiresInDays } = draft;
		const limit = readDollars(approvalAbove);
		create.mutate({
			...{ name: draft.name.trim(), scopes: [...scopes], expiresInDays },
			...(limit && { approvalAboveUsd: Number(limit.usd) }),
			...(accountId && { accountId }),
		});
	};
	if (create.data) return <NewToken token={create.data.token} onClose={onClose} />;
	return (
		<FormDialog
			title="Create token"
			description="A token acts as its owner, limited to its scopes. It is shown once."
			save="Create"
			ready
			change={create}
			onSubmit={submit}
			onClose={onClose}
		>
			<TextField
				label="Name"
				id="token-name"
				value={draft.name}
				maxLength={100}
				onChange={(name) => set({ name })}
				error={errors["name"]}
			/>
			{services.length > 0 && (
				<Field label="Owner" htmlFor="token-owner" error={errors["accountId"]}>
					<Select id="token-owner" value={draft.accountId} onChange={(event) => set({ accountId: event.target.value })}>
						<option value="">You</option>
						{services.map(({ id, name }) => (
							<option key={id} value={id}>
								{name} (service account)
							</option>
						))}
					</Select>
				</Field>
			)}
			<ScopesField value={draft.scopes} onChange={(scopes) => set({ scopes })} error={errors["scopes"]} />
			<DollarsField
				label="Approval above ($, optional)"
				id="token-approval"
				value={draft.approvalAbove}
				onChange={(approvalAbove) => set({ approvalAbove })}
				error={errors["approvalAboveUsd"] ?? null}
				hint="Jobs submitted with it need approval above this estimate."
			/>
			<Field label="Expires" htmlFor="token-expiry">
				<Select id="token-expiry" value={draft.expiresInDays} onChange={(event) => set({ expiresInDays: Number(event.target.value) })}>
					{LIFETIMES.map((days) => (
						<option key={days} value={days}>
							in {days} days
						</option>
					))}
				</Select>
			</Field>
		</FormDialog>
	);
}

interface ScopesProps {
	value: readonly TokenScope[];
	onChange: (scopes: readonly TokenScope[]) => void;
	error: string | undefined;
}

function ScopesField({ value, onChange, error }: ScopesProps) {
	return (
		<fieldset className="grid gap-1.5" aria-describedby={error ? "token-scopes-note" : undefined}>
			<legend className="mb-1 font-medium text-ink-2">Scopes</legend>
			<div className="grid gap-1.5 md:grid-cols-2">
				{TOKEN_SCOPES.map((scope) => (
					<CheckField
						key={scope}
						{...SCOPE_TEXT[scope]}
						className="content-start"
						checked={value.includes(scope)}
						onChange={(event) => onChange(event.target.checked ? [...value, scope] : value.filter((one) => one !== scope))}
					/>
				))}
			</div>
			{error && (
				<p id="token-scopes-note" role="alert" className="text-xs text-risk-ink">
					{error}
				</p>
			)}
		</fieldset>
	);
}

function NewToken({ token, onClose }: { token: string; onClose: () => void }) {
	const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
	const copy = () =>
		navigator.clipboard.writeText(token).then(
			() => setCopied("yes"),
			() => setCopied("failed"),
		);
	return (
		<Dialog
			open
			onClose={onClose}
			title="Token created"
			description="Copy it now. It is not shown again."
			actions={
				<>
					<Button icon={copied === "yes" ? "check" : "copy"} onClick={() => void copy()}>
						{copied === "yes" ? "Copied" : "Copy"}
					</Button>
					<Button variant="primary" onClick={onClose}>
						I saved it
					</Button>
				</>
			}
		>
			<div className="grid gap-3">
				<Field
					label="Token"
					htmlFor="new-token"
					error={copied === "failed" && "The browser did not allow copying. Select the text and copy it."}
				>
					<Input id="new-token" mono readOnly value={token} onFocus={(event) => event.target.select()} />
				</Field>
				<p className="text-xs text-pretty text-ink-3">
					Set it as <code>SPILLWAY_TOKEN</code> for the command line, or send it as <code>Authorization: Bearer</code>.
				</p>
			</div>
		</Dialog>
	);
}
