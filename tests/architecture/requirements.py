"""Safety requirements: no server, capture or folder can harm the user; with the tests that prove each.

A test that is renamed is renamed here, too: `test_requirements.py` looks for each.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """One rule of safety."""

    says: str
    proofs: tuple[str, ...]
    """Files below `tests/`, each with a test: "test_text.py::test_visible_shows_control_characters"."""


_ACTS = "stories/test_nothing_acts_on_the_terminal.py::test_"
_STATIC = "architecture/test_security.py::test_"
_FAULTS = "stories/test_faults.py::test_fault_is_survived"
_FUZZ = "fuzzing/test_arbitrary_input.py::test_"

DISPLAY = (
    Requirement(
        "One function renders all foreign text: controls, sequences, bidi, zero-width, tags, selectors, surrogates.",
        (
            "test_text.py::test_visible_shows_control_characters",
            "test_text.py::test_nothing_that_is_returned_can_act",
            "test_text.py::test_a_heap_of_marks_is_counted_instead_of_drawn",
            _FUZZ + "any_text_can_be_shown_and_does_nothing",
        ),
    ),
    Requirement(
        "Also in titles, toasts, stderr, errors, file names, header values, prompts, tasks, questions, ids.",
        (
            _ACTS + "hostile_server_text_has_no_effect_on_the_terminal",
            _ACTS + "http_heads_and_streams_have_no_effect_on_the_terminal",
            _ACTS + "configuration_files_have_no_effect_on_the_terminal",
        ),
    ),
    Requirement(
        "And in what commands print on a terminal, text and JSON.",
        (
            _ACTS + "printed_output_has_no_effect_on_the_terminal",
            "cli/test_output.py::test_json_for_a_terminal_is_indented_and_acts_on_nothing",
        ),
    ),
    Requirement(
        "Behind it stands a second wall: what a widget was given in spite of all does not reach the terminal.",
        (
            "tui/test_safety.py::test_no_stock_widget_passes_a_control_character_on",
            "tui/test_safety.py::test_a_heap_of_marks_covers_no_other_line",
        ),
    ),
    Requirement(
        "No widget reads markup in foreign text.",
        (
            "architecture/test_markup.py::test_no_widget_is_given_a_string_made_at_run_time",
            "stories/test_foreign_text_is_inert.py::"
            "test_no_text_of_a_server_is_markup_and_the_capture_of_it_starts_and_reaches_nothing",
        ),
    ),
    Requirement(
        "Links are inert; the whole address and its host in punycode are shown; only http and https, by a library.",
        (
            "present/test_logins.py::test_unsafe_link_is_not_opened_with_a_reason",
            "present/test_logins.py::test_the_whole_url_is_shown_and_nothing_in_it_acts",
            "tui/screens/inbox/test_panel.py::test_a_link_is_opened_on_its_key_only_and_never_if_it_is_no_web_address",
            "auth/test_addresses.py::test_non_web_url_is_not_opened_in_the_browser",
            _STATIC + "browsers_are_opened_in_two_places",
        ),
    ),
    Requirement(
        "The clipboard gets no control characters, and how many were left out is said.",
        (
            "test_text.py::test_clipboard_text_loses_control_characters_with_a_count",
            "present/test_copies.py::test_control_characters_are_left_out_and_counted",
        ),
    ),
    Requirement(
        "In a command to paste no name of a server is an option of ours.",
        (
            "present/test_copies.py::test_no_name_of_a_server_becomes_an_option_of_ours",
            "present/test_copies.py::test_invalid_url_is_in_no_command",
        ),
    ),
    Requirement(
        "A confirmation quotes arguments and server as they are.",
        (
            "tui/screens/items/test_tools.py::test_a_destructive_tool_asks_once",
            "tui/widgets/test_dialogs.py::test_dialog_shows_markup_literally",
            "tui/widgets/test_dialogs.py::test_only_a_yes_is_a_yes",
        ),
    ),
    Requirement(
        "Heaps of marks, joiners and endless lines keep their cells and their time.",
        (
            "tui/test_safety.py::test_removed_joiner_keeps_the_cell_count",
            "test_text.py::test_the_limit_cuts_before_the_work",
            "test_text.py::test_padded_text_takes_exactly_the_width",
        ),
    ),
)

RUNNING = (
    Requirement(
        "No server starts without an act that names it; one of a file is shown in full first.",
        (
            "tui/screens/start/test_start.py::test_a_server_is_shown_in_full_and_started_only_after_a_second_key",
            "tui/screens/start/test_start.py::test_each_is_shown_in_full_and_answered_for_itself",
            "cli/commands/test_open.py::test_open_confirms_servers_by_name_only",
            "cli/commands/test_open.py::test_open_without_terminal_is_refused",
            _ACTS + "configuration_files_have_no_effect_on_the_terminal",
        ),
    ),
    Requirement(
        "No shell: words are argv.",
        (
            _STATIC + "children_are_started_in_few_places_and_never_by_a_shell",
            "config/test_programs.py::test_no_shell_looks_at_the_words",
        ),
    ),
    Requirement(
        "A server inherits a short list of variables and no keys.",
        ("config/test_environment.py::test_a_server_inherits_the_short_list_and_no_keys",),
    ),
    Requirement(
        "Opening a capture starts nothing, connects to nothing, resolves nothing, opens nothing.",
        (
            "stories/test_foreign_text_is_inert.py::"
            "test_no_text_of_a_server_is_markup_and_the_capture_of_it_starts_and_reaches_nothing",
        ),
    ),
    Requirement(
        "No child is left, however we end.",
        (
            "stories/test_in_a_real_terminal.py::test_however_it_is_ended_no_child_is_left_and_what_happened_is_kept",
            "transports/test_children.py::test_if_we_are_killed_the_server_reads_the_end_of_its_stdin",
            _FAULTS,
        ),
    ),
)

NETWORK = (
    Requirement(
        "Certificates are checked; where they are not, that is in sight and recorded.",
        (
            "tui/test_bars.py::test_a_warning_lasts_on_a_line_of_its_own",
            "tui/test_bars.py::test_insecure_tls_is_shown_for_captures",
        ),
    ),
    Requirement(
        "Nothing of the user's goes to another origin; no other origin is posted to.",
        (
            "transports/http/test_endpoint.py::test_a_redirect_to_another_origin_is_refused_and_nothing_is_sent_there",
            "transports/http/test_endpoint.py::test_another_scheme_host_or_port_is_another_origin",
            "stories/test_http_servers_that_misbehave.py::test_an_old_server_may_name_no_other_origin_to_post_to",
        ),
    ),
    Requirement(
        "Metadata leads nobody into a private network.",
        (
            "auth/test_discovery.py::test_a_pointer_into_a_private_network_is_not_followed",
            "auth/test_addresses.py::test_private_network_is_refused_for_public_server",
        ),
    ),
    Requirement(
        "Each limit is named where it is reached, and can be raised where that makes sense.",
        (
            "cli/test_options.py::test_a_limit_is_raised_by_its_name_and_the_last_word_holds",
            "transports/test_lines.py::"
            "test_over_the_limit_the_beginning_is_kept_and_the_rest_is_counted_and_what_follows_is_whole",
            "transports/http/test_reply.py::test_a_body_beyond_the_limit_is_cut_and_its_beginning_shown",
            "transports/http/test_reply.py::test_a_body_that_unpacks_to_a_flood_is_cut",
            "protocol/flows/test_list_all.py::test_a_list_without_end_is_cut",
            "protocol/test_jsonrpc.py::test_deep_or_long_message_is_invalid_with_a_reason",
            "protocol/test_jsonrpc.py::test_a_number_of_a_million_digits_is_read_at_once",
            "protocol/test_jsonrpc.py::test_oversized_message_is_not_decoded",
            _FUZZ + "any_schema_is_a_form_with_a_value_and_any_value_gets_a_verdict",
            _FAULTS,
        ),
    ),
    Requirement(
        "OAuth: state, PKCE S256, exact redirect, issuer; logins by issuer; one visit to 127.0.0.1, then closed.",
        (
            "auth/test_authorization.py::test_a_redirect_that_is_not_the_answer_ends_the_login",
            "auth/test_authorization.py::test_server_without_s256_is_refused",
            "auth/test_discovery.py::test_metadata_of_another_issuer_is_not_used",
            "auth/test_steps.py::test_a_client_is_kept_for_its_own_issuer_alone",
            "auth/test_guide.py::test_other_visits_are_turned_away_and_a_second_one_too",
            "auth/test_guide.py::test_nothing_listens_once_it_is_over",
        ),
    ),
    Requirement(
        "No port is open but that one, and those of demo and mock that were asked for; on this machine alone.",
        (
            _STATIC + "only_one_file_listens",
            "transports/http/test_listener.py::test_no_port_is_opened_to_other_machines",
        ),
    ),
)

AT_REST = (
    Requirement(
        "Files 0600, directories 0700, never through a link.",
        (
            "capture/format/test_file.py::test_file_and_new_directories_are_for_their_owner_alone",
            "capture/format/test_file.py::test_a_link_is_not_followed",
            "config/test_paths.py::test_a_directory_that_others_could_read_is_tightened_and_its_parent_left",
            "auth/test_storage.py::test_token_file_is_private",
            "auth/test_storage.py::test_a_link_in_its_place_is_not_followed",
            "tui/screens/export/test_dialog.py::test_saved_file_is_private_and_follows_no_link",
            _STATIC + "files_are_made_private_and_never_through_a_link",
        ),
    ),
    Requirement(
        "Secrets are masked on the screen and in the capture.",
        (
            "present/test_http.py::test_names_that_give_access_are_secret",
            "present/test_http.py::test_a_url_keeps_all_but_what_gives_access",
            "capture/format/test_redact.py::test_the_file_has_none_and_what_is_in_memory_has_all",
            "tui/screens/server/test_panel.py::test_values_are_masked_until_z_reveals_them",
            "present/test_copies.py::test_http_request_is_copied_as_curl_without_secrets",
        ),
    ),
    Requirement(
        "The reader of captures takes anything, and nothing that could act is read by it.",
        (
            _FUZZ + "a_garbled_capture_opens_as_far_as_it_goes_or_is_refused",
            "capture/format/test_reader.py::test_a_foreign_file_is_refused",
            _STATIC + "nothing_is_read_that_could_act",
        ),
    ),
    Requirement("No telemetry, no look for updates.", (_STATIC + "http_clients_are_made_only_in_allowed_modules",)),
)

HONESTY = (
    Requirement("Nothing is ever called safe.", (_STATIC + "nothing_is_called_safe",)),
    Requirement(
        "Annotations are what the server claims.", ("present/test_items.py::test_tool_row_has_claims_and_cost",)
    ),
)

REQUIREMENTS = (*DISPLAY, *RUNNING, *NETWORK, *AT_REST, *HONESTY)
