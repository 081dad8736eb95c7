"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Saves the file of a pipeline or sweep as a template of its team. */
export function SaveTemplateButton({ pipeline }: { pipeline: { id: string; name: string; team: string } }) {
	const [isOpen, setIsOpen] = useState(false);
	return (
		<>
			{/* A phone's header has room for Cancel and Resume only. */}
			<Button className="max-md:hidden" onClick={() => setIsOpen(true)}>
				Save as template
			</Button>
			{isOpen && <SaveTemplateDialog pipeline={pipeline} onClose={() => setIsOpen(false)} />}
		</>
	);
}

function SaveTemplateDialog({ pipeline, onClose }: { pipeline: { id: string; name: string; team: string }; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const id = useId();
	const [name, setName] = useState(pipeline.name);
	const [description, setDescription] = useState("");
	const save = useMutation(
		trpc.template.save.mutationOptions({
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.template.pathKey() }),
			onSuccess: (saved) => {
				notify({ tone: "done", title: `Saved template ${saved.name}` });
				onClose();
			},
		}),
	);
	return (
		<FormDialog
			title="Save as template"
			description={`For team ${pipeline.team}, with the parameters of its file.`}
			save="Save"
			ready={name.trim() !== ""}
			change={save}
			onSubmit={() => save.mutate({ pipelineId: pipeline.id, name: name.trim(), description })}
			onClose={onClose}
		>
			<Field label="Name" htmlFor={`${id}-name`}>
				<Input id={`${id}-name`} value={name} maxLength={63} onChange={(event) => setName(event.target.value)} />
			</Field>
			<Field label="Description" htmlFor={`${id}-description`}>
				<Input id={`${id}-description`} value={description} maxLength={200} onChange={(event) => setDescription(event.target.value)} />
			</Field>
		</FormDialog>
	);
}
