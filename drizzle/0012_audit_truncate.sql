CREATE INDEX "audit_at" ON "audit" USING btree ("at");--> statement-breakpoint
-- 1. What happened is not swept away either: TRUNCATE fires no trigger for UPDATE or DELETE.
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON "audit" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_seal_no_truncate BEFORE TRUNCATE ON "audit_seal" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER decision_no_truncate BEFORE TRUNCATE ON "decision" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER policy_version_no_truncate BEFORE TRUNCATE ON "policy_version" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint
CREATE TRIGGER policy_publication_no_truncate BEFORE TRUNCATE ON "policy_publication" FOR EACH STATEMENT EXECUTE FUNCTION spillway_refuse_change();
--> statement-breakpoint

-- 2. A token's life is in the audit whoever writes its row: outside the demo tokens are made and revoked by SQL. Its hash is not told.
CREATE FUNCTION spillway_audit_token() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	was jsonb := CASE WHEN TG_OP <> 'INSERT' THEN jsonb_build_object('account', OLD.account_id, 'name', OLD.name, 'revokedAt', OLD.revoked_at) END;
	now_is jsonb := CASE WHEN TG_OP <> 'DELETE' THEN jsonb_build_object('account', NEW.account_id, 'name', NEW.name, 'revokedAt', NEW.revoked_at) END;
	done text := CASE
		WHEN TG_OP = 'INSERT' THEN 'token.issue'
		WHEN TG_OP = 'DELETE' THEN 'token.delete'
		WHEN OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL THEN 'token.revoke'
		ELSE 'token.change' END;
BEGIN
	INSERT INTO audit (at, actor, action, subject, before, after)
	VALUES (date_trunc('milliseconds', clock_timestamp()), 'system:database', done, 'token:' || coalesce(NEW.id, OLD.id), was, now_is);
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER api_token_audit AFTER INSERT OR DELETE OR UPDATE OF account_id, hash, revoked_at ON "api_token" FOR EACH ROW EXECUTE FUNCTION spillway_audit_token();
