DROP INDEX "allocation_unmetered";--> statement-breakpoint
DROP INDEX "audit_subject";--> statement-breakpoint
DROP INDEX "checkpoint_job";--> statement-breakpoint
DROP INDEX "decision_job";--> statement-breakpoint
DROP INDEX "event_at";--> statement-breakpoint
DROP INDEX "instance_intended";--> statement-breakpoint
DROP INDEX "job_submitted";--> statement-breakpoint
DROP INDEX "job_state_submitted";--> statement-breakpoint
DROP INDEX "job_team_submitted";--> statement-breakpoint
DROP INDEX "offer_price_time";--> statement-breakpoint
CREATE INDEX "instance_unmetered" ON "instance" USING btree ("id") WHERE "instance"."launched_at" is not null and ("instance"."metered_until" is null or "instance"."terminated_at" is null or "instance"."metered_until" <> "instance"."terminated_at");--> statement-breakpoint
CREATE INDEX "job_class_submitted" ON "job" USING btree ("class","submitted_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "job_site_submitted" ON "job" USING btree (("placement"->>'siteId'),"submitted_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "job_cloud_submitted" ON "job" USING btree ("submitted_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE "job"."placement"->>'capacityType' <> 'owned';--> statement-breakpoint
CREATE INDEX "job_name_trgm" ON "job" USING gin ("name" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "allocation_unmetered" ON "allocation" USING btree ("id") WHERE "allocation"."ended_at" is null or "allocation"."metered_until" is null or "allocation"."metered_until" <> "allocation"."ended_at";--> statement-breakpoint
CREATE INDEX "audit_subject" ON "audit" USING btree ("subject","at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "checkpoint_job" ON "checkpoint" USING btree ("job_id","created_at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "decision_job" ON "decision" USING btree ("job_id","decided_at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "event_at" ON "event" USING btree ("at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "instance_intended" ON "instance" USING btree ("intended_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "job_submitted" ON "job" USING btree ("submitted_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "job_state_submitted" ON "job" USING btree ("state","submitted_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "job_team_submitted" ON "job" USING btree ("team","submitted_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "offer_price_time" ON "offer_price" USING btree ("offer_id","observed_at" DESC NULLS FIRST);