#include "sim/record/redact.hpp"

#include <algorithm>
#include <array>

#include "base/secret_words.hpp"
#include "base/text.hpp"

namespace rollcall::sim {
namespace {

namespace json = boost::json;

constexpr std::string_view hidden = "***";
constexpr std::size_t max_annotation = 512;

template <std::size_t N>
bool is_among_members(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of containers and of objects: large, or a place where secrets stand, and without meaning for a cluster's state.
constexpr std::array<std::string_view, 9> removed_members = {"managedFields",  "command",      "args",       "lifecycle", "livenessProbe",
                                                             "readinessProbe", "startupProbe", "stringData", "binaryData"};
// Objects and lists of values that users choose: the names stay.
constexpr std::array<std::string_view, 4> value_holders = {"env", "data", "guestAttributes", "parameters"};
// Pages are asked for by these.
constexpr std::array<std::string_view, 2> page_members = {"continue", "nextPageToken"};

bool announces_secret(std::string_view member) {
  constexpr std::array<std::string_view, 12> ends = {"token",     "secret",     "password",    "passwd", "passphrase", "bearer",
                                                     "assertion", "credential", "credentials", "apikey", "privatekey", "publickey"};
  const std::string lower = to_lower(member);
  return std::any_of(ends.begin(), ends.end(), [&lower](std::string_view end) { return lower.ends_with(end); });
}

bool is_one_word(std::string_view text) { return text.find_first_of(" \t\n\"'=,;") == std::string_view::npos; }

std::string redacted_word(std::string_view text) {
  std::string shown = is_one_word(text) ? std::string(text) : redacted_text(text);
  // What is left of a longer text may be one word, too.
  return is_one_word(shown) && looks_secret_for_name(shown) ? std::string(hidden) : shown;
}

class Redactor {
 public:
  void value(json::value& value) {
    if (json::string* const text = value.if_string()) {
      *text = redacted_word(*text);
    } else if (json::array* const list = value.if_array()) {
      for (json::value& one : *list) this->value(one);
    } else if (json::object* const object = value.if_object()) {
      this->object(*object);
    }
  }

 private:
  void object(json::object& object) {
    for (const std::string_view name : removed_members) object.stable_erase(name);
    for (auto& [key, value] : object) {
      if (is_among_members(page_members, key)) continue;
      if (key == "annotations" && value.is_object()) {
        annotations(value.get_object());
      } else if (is_among_members(value_holders, key)) {
        hide_values(value);
      } else if (key == "metadata" && value.is_object() && !is_object_meta(value.get_object())) {
        hide_values(value);  // of a virtual machine: scripts, keys
      } else if (value.is_string() && announces_secret(key)) {
        value = hidden;
      } else {
        this->value(value);
      }
    }
  }

  // Of a Kubernetes object or list. That of a virtual machine has scripts and keys.
  static bool is_object_meta(const json::object& metadata) {
    constexpr std::array<std::string_view, 17> names = {"name",
                                                        "generateName",
                                                        "namespace",
                                                        "uid",
                                                        "resourceVersion",
                                                        "generation",
                                                        "creationTimestamp",
                                                        "labels",
                                                        "deletionTimestamp",
                                                        "ownerReferences",
                                                        "selfLink",
                                                        "annotations",
                                                        "finalizers",
                                                        "continue",
                                                        "managedFields",
                                                        "remainingItemCount",
                                                        "deletionGracePeriodSeconds"};
    return std::all_of(metadata.begin(), metadata.end(), [&](const auto& member) { return is_among_members(names, member.key()); });
  }

  void annotations(json::object& annotations) {
    annotations.stable_erase("kubectl.kubernetes.io/last-applied-configuration");
    for (auto& [key, value] : annotations) {
      const json::string* const text = value.if_string();
      if (text && (text->size() > max_annotation || announces_secret(key))) {
        value = hidden;
      } else {
        this->value(value);
      }
    }
  }

  // The texts below, but for names: `{"name": "TPU_WORKER_ID", "value": "***"}`, `{"key": "startup-script", "value": "***"}`.
  void hide_values(json::value& value) {
    if (value.is_string()) {
      value = hidden;
    } else if (json::array* const list = value.if_array()) {
      for (json::value& one : *list) hide_values(one);
    } else if (json::object* const object = value.if_object()) {
      for (auto& [key, below] : *object) {
        if (key == "name" || key == "key" || key == "fieldPath" || key == "apiVersion" || key == "kind" || key == "fingerprint") continue;
        hide_values(below);
      }
    }
  }
};

}  // namespace

void redact(json::value& answer) { Redactor().value(answer); }

std::string redacted_text(std::string_view text) { return without_secrets(text); }

}  // namespace rollcall::sim
