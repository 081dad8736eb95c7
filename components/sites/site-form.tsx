"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { cn } from "#components/ui/cn.ts";
import { Field, Select } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";
import { CheckPanel } from "./check-panel.tsx";
import { CredentialsPanel } from "./credentials-panel.tsx";
import { problemsOf, type SiteKind, type SiteSettings } from "./form-values.ts";
import { LeastRights } from "./least-rights.tsx";
import { SettingsPanel } from "./settings-panel.tsx";
import { useCheck } from "./use-check.ts";
import { useSiteDraft } from "./use-site-draft.ts";

type AddSiteProps = {
	/** Only types of owned sites, or only clouds. Absent: every type. */
	only?: "owned" | "cloud";
	/** Called once the site is added, instead of opening the list of sites. */
	onAdded?: () => void;
};

export function AddSiteForm({ only, onAdded }: AddSiteProps) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.site.kinds.queryOptions());
	const kinds = data.filter(({ owned }) => only === undefined || owned === (only === "owned"));
	const [provider, setProvider] = useState(kinds[0]?.provider ?? "aws");
	const kind = kinds.find((k) => k.provider === provider);
	if (!kind) return null;
	return (
		<>
			<Field label="Type" htmlFor={`${only ?? ""}provider`} className="max-w-80">
				<Select id={`${only ?? ""}provider`} value={provider} onChange={(e) => setProvider(e.target.value as SiteKind["provider"])}>
					{kinds.map((k) => (
						<option key={k.provider} value={k.provider}>
							{k.title}
						</option>
					))}
				</Select>
			</Field>
			<SiteForm key={provider} kind={kind} stored={null} onAdded={onAdded} />
		</>
	);
}

export function ChangeSiteForm({ id }: { id: string }) {
	const trpc = useTRPC();
	const { data: kinds } = useSuspenseQuery(trpc.site.kinds.queryOptions());
	const { data: sites } = useSuspenseQuery(trpc.site.settings.queryOptions());
	const stored = sites.find((s) => s.id === id);
	const kind = stored && kinds.find((k) => k.provider === stored.provider);
	if (stored && kind) return <SiteForm kind={kind} stored={stored} />;
	return (
		<EmptyState icon="question" title={stored ? "This site is the local host" : "Site not found"}>
			{stored ? "Set SPILLWAY_LOCAL_SLOTS at startup to change its slots." : "It may have been removed."}
		</EmptyState>
	);
}

/** Site settings, checked step by step before they are stored. Credentials are write-only. */
function SiteForm({ kind, stored, onAdded }: { kind: SiteKind; stored: SiteSettings | null; onAdded?: (() => void) | undefined }) {
	const check = useCheck();
	const [id, setId] = useState(stored?.id ?? "");
	const [name, setName] = useState(stored?.name ?? "");
	const { boxes, put, unread, read } = useSiteDraft(kind, stored);
	const store = useStore(stored, onAdded);
	const failure = store.error ?? check.error;
	const wrong = { ...problemsOf(failure, pathsOf(kind)), ...unread };
	const runCheck = () => {
		store.reset();
		const draft = read();
		if (draft) void check.run(stored ? { id: stored.id, ...draft } : { provider: kind.provider, ...draft });
	};
	const save = (event: SubmitEvent) => {
		event.preventDefault();
		const draft = read();
		if (draft) store.save({ id: id.trim(), name: name.trim() || id.trim(), provider: kind.provider, ...draft });
	};
	return (
		<form onSubmit={save} className={cn("grid items-start gap-4", !onAdded && "rail:grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)]")}>
			<div className="grid gap-4">
				<SettingsPanel kind={kind} names={{ id, name, setId: stored ? null : setId, setName }} boxes={boxes} put={put} wrong={wrong} />
				<CredentialsPanel kind={kind} stored={stored} boxes={boxes} put={put} wrong={wrong} />
			</div>
			<div className="grid gap-4">
				<LeastRights kind={kind} />
				<CheckPanel
					check={check}
					failure={failure}
					marked={Object.keys(wrong).some((path) => path !== "")}
					saveLabel={stored ? "Save" : "Add site"}
					saving={store.saving}
					onCheck={runCheck}
				/>
			</div>
		</form>
	);
}

/** Adds or updates the site, then calls `onAdded` or returns to the list. */
function useStore(stored: SiteSettings | null, onAdded?: () => void) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const router = useRouter();
	const leave = (title: string) => {
		void client.invalidateQueries({ queryKey: trpc.site.pathKey() });
		notify({ tone: "info", title, detail: "The scheduler connects within seconds." });
		if (onAdded) onAdded();
		else router.push("/settings/sites");
	};
	const add = useMutation(trpc.site.add.mutationOptions({ onSuccess: (_, { name }) => leave(`${name} added`) }));
	const change = useMutation(trpc.site.change.mutationOptions({ onSuccess: (_, { name }) => leave(`${name ?? "Site"} updated`) }));
	type Added = Parameters<typeof add.mutate>[0];
	return {
		error: add.error ?? change.error ?? null,
		saving: add.isPending || change.isPending,
		reset: () => {
			add.reset();
			change.reset();
		},
		save({ id, provider, ...rest }: Added) {
			if (stored) change.mutate({ id: stored.id, ...rest });
			else add.mutate({ id, provider, ...rest });
		},
	};
}

/** Fields that a response can mark as invalid. */
function pathsOf(kind: SiteKind): string[] {
	return [
		...["id", "name", "credentials.path", "credentials.name"],
		...kind.fields.map((f) => `settings.${f.name}`),
		...kind.credentialFields.map((f) => `credentials.${f.name}`),
	];
}
